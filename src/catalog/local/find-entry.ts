import { type AdminEntry, adminEntries } from './entries.ts';
import type { AdminOperationName, NeedOf } from './index.ts';

type EntryOf<Name extends AdminOperationName> = AdminEntry & { readonly needs: NeedOf<Name> };

export function getAdminEntry<Name extends AdminOperationName>(name: Name): EntryOf<Name> {
  const entry = adminEntries.find((each): each is EntryOf<Name> => each.name === name);
  if (!entry) throw new TypeError(`unknown operation ${name}`);
  return entry;
}
