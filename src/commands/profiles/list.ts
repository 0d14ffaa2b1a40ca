import { readProfiles } from '../../profiles/profiles-file.ts';
import type { Context } from '../context.ts';
import { commandForService } from '../service-flags.ts';
import { describeProfile } from './describe-profile.ts';

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
  const records = names.map(([name, profile]) => describeProfile(book, name, profile));
  await printer.value(records, { columns: COLUMNS });
  if (records.length === 0)
    await context.note(
      `no profiles found; add one with: ${commandForService({ local: false }, 'profiles', 'add')} <name>`,
    );
}
