import type { Insertable } from 'kysely';
import { prepareInsert, prepareSelect, prepareUpsert } from '../store/statements.ts';
import type { Database } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { serializeOtherFields } from './other-fields.ts';
import { generateId } from './secrets.ts';

export type UserRow = Insertable<Tables['users']>;

export interface UserInput {
  readonly userId: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly initial?: string | undefined;
}

export const upsertUsers = prepareUpsert('users', ['organization', 'userId'], {
  merged: ['name', 'email', 'initial', 'otherFields'],
  returning: ['userId', 'id'],
});

export const selectUsers = prepareSelect('users', ['userId', 'otherFields']);

export function toUserRow(
  organization: number,
  user: UserInput & { readonly accessRole?: unknown },
): UserRow {
  const { userId, name, email, initial, accessRole: _, ...others } = user;
  return {
    organization,
    userId,
    id: generateId(),
    name: name ?? null,
    email: email ?? null,
    initial: initial ?? /[\p{L}\p{N}]/u.exec(name ?? '')?.[0].toUpperCase() ?? null,
    otherFields: serializeOtherFields(others),
  };
}

export async function ensureUser(
  database: Database,
  user: { organization: number; userId: string },
): Promise<void> {
  await insertUsers(database, [{ ...user, id: generateId() }]);
}

const insertUsers = prepareInsert('users');
