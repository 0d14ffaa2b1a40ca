import { invalidArgument } from '../store/refusal.ts';
import { prepareInsert, prepareSelect } from '../store/statements.ts';
import type { Database } from '../store/store.ts';

export const insertGroups = prepareInsert('userGroups', ['organization', 'groupId'], ['groupId']);
export const insertGroupMembers = prepareInsert('userGroupMembers');
const selectGroup = prepareSelect('userGroups', ['groupId']);

/** @throws Refusal INVALID_ARGUMENT if the group does not exist in the organization */
export async function requireGroup(
  database: Database,
  organization: number,
  groupId: string,
): Promise<void> {
  const [found] = await selectGroup(database, { organization, groupId });
  if (!found) throw invalidArgument('Organization user group not found.');
}
