import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

/** Tables that are kept, so that clients still have access and the clock keeps its time. */
type KeptTable = 'schemaVersion' | 'workspaces' | 'apiKeys' | 'authTokens' | 'development';

/**
 * Tables to empty, in an order that satisfies their references. A missing table is a compile-time
 * error.
 */
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
  issuedTokens: true,
};

export function resetState(store: Store): Promise<void> {
  return store.deleteAllRows(Object.keys(EMPTIED_TABLES) as (keyof typeof EMPTIED_TABLES)[]);
}
