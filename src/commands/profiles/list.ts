import { readProfiles } from '../../profiles/profiles-file.ts';
import type { Context } from '../context.ts';
import { commandForService } from '../service-flags.ts';
import { PROFILE_COLUMNS } from './columns.ts';
import { describeProfile } from './describe-profile.ts';

export async function listProfiles(context: Context): Promise<void> {
  const printer = await context.printer();
  const saved = await readProfiles(context.folders);
  const names = [...saved.profiles].sort(([a], [b]) => (a < b ? -1 : 1));
  const records = names.map(([name, profile]) => describeProfile(saved, name, profile));
  await printer.value(records, { columns: PROFILE_COLUMNS });
  if (records.length === 0)
    await context.note(
      `no profiles found; add one with: ${commandForService({ local: false }, 'profiles', 'add')} <name>`,
    );
}
