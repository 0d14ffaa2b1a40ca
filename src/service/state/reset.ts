import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

/** Tables with credentials, which are kept so that callers still have access. */
type KeptTable = 'schemaVersion' | 'workspaces' | 'apiKeys' | 'authTokens';

/** The tables to empty, each before the tables that it refers to. Omitting a table is a compile error. */
const EMPTIED_TABLES: Readonly<Record<Exclude<keyof Tables, KeptTable>, true>> = {
  participants: true,
  userData: true,
  userGroupMembers: true,
  userGroups: true,
  members: true,
  users: true,
  presence: true,
  activities: true,
  editors: true,
  documents: true,
  folders: true,
  organizations: true,
  agents: true,
  agentGroups: true,
  deliveries: true,
  endpoints: true,
  configs: true,
  documentMigrations: true,
};

/** Deletes all records of a store except credentials, in one transaction. */
export function resetState(store: Store): Promise<void> {
  return store.deleteAllRows(Object.keys(EMPTIED_TABLES) as (keyof typeof EMPTIED_TABLES)[]);
}
