import { hint, stepWithPlaceholder } from '../../kernel/hint.ts';
import { readProfiles } from '../../profiles/profiles-file.ts';
import type { Context } from '../context.ts';
import { PROFILE_COLUMNS } from './columns.ts';
import { describeProfile } from './describe-profile.ts';

export async function listProfiles(context: Context): Promise<void> {
  const printer = await context.printer();
  const saved = await readProfiles(context.folders);
  const names = [...saved.profiles].sort(([a], [b]) => (a < b ? -1 : 1));
  const records = names.map(([name, profile]) => describeProfile(saved, name, profile));
  await printer.value(records, { columns: PROFILE_COLUMNS });
  const adding = stepWithPlaceholder('configure', ['profiles', 'add'], '<name>');
  if (records.length === 0) await context.note(hint`no profiles found; add one with: ${adding}`);
}
