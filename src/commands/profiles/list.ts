import { readProfiles } from '../../profiles/book.ts';
import type { Context } from '../context.ts';
import { hintedCommand } from '../hinted-command.ts';
import { listed } from './view.ts';

const COLUMNS = [
  { header: 'NAME', field: 'name', kind: 'whole' },
  { header: 'CURRENT', field: 'current' },
  { header: 'BASE URL', field: 'baseUrl' },
  { header: 'API KEY', field: 'apiKey', kind: 'whole' },
  { header: 'ORG', field: 'org', kind: 'whole' },
  { header: 'PROTECTED', field: 'protected' },
  { header: 'SECRETS', field: 'secrets' },
] as const;

export async function listProfiles(context: Context): Promise<void> {
  const printer = await context.printer();
  const book = await readProfiles(context.folders);
  const names = [...book.profiles].sort(([a], [b]) => (a < b ? -1 : 1));
  const records = names.map(([name, profile]) => listed(book, name, profile));
  await printer.value(records, { columns: COLUMNS });
  if (records.length === 0)
    await context.note(
      `there are no profiles yet; add one with: ${hintedCommand({ local: false }, 'profiles', 'add')} <name>`,
    );
}
