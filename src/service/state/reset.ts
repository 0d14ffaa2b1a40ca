import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

/** Who may call stays, so that callers go on. */
type Kept = 'schemaVersion' | 'workspaces' | 'apiKeys' | 'authTokens';

/** The tables that are emptied, those that refer to others first. One that is missing here does not compile. */
const EMPTIED: Readonly<Record<Exclude<keyof Tables, Kept>, true>> = {
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

/** Deletes every record of a store, in one transaction. */
export function resetState(store: Store): Promise<void> {
  return store.empty(Object.keys(EMPTIED) as (keyof typeof EMPTIED)[]);
}
