import { type AdminEntry, adminEntries } from './entries.ts';
import type { AdminOperationName } from './index.ts';

export function getAdminEntry(name: AdminOperationName): AdminEntry {
  const entry = adminEntries.find((each) => each.name === name);
  if (!entry) throw new TypeError(`unknown operation ${name}`);
  return entry;
}
