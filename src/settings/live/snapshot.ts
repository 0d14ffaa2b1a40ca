import type { State } from '../../catalog/state.ts';
import { writtenClassOf } from '../kinds.ts';
import type { LiveQuery, LiveRecord, LiveRecords } from '../live-records.ts';
import type { PlannedWrite } from '../plan.ts';

const FOLDER_FIELDS = [
  'folderId',
  'folderName',
  'parentFolderId',
  'accessType',
  'inheritAccessFromParent',
];

/**
 * Returns the live folders, configurations, and endpoints as a state that a simulation can import.
 */
export function createSnapshot(live: LiveRecords): State {
  const readable = Array.from(live.folders, ([organizationId, { records }]) => ({
    organizationId,
    records,
  }));
  const folders = readable.flatMap(({ organizationId, records = new Map<string, LiveRecord>() }) =>
    Array.from(records.values(), (record) => ({ organizationId, ...pick(record, FOLDER_FIELDS) })),
  );
  const configs = Array.from(live.configs, ([name, { records }]) => [name, records] as const);
  const config = Object.fromEntries(configs.filter(([, records]) => records !== undefined));
  // The service lists endpoints only if advanced webhooks are enabled.
  if (live.endpoints?.records && !live.configs.has('advancedWebhooks'))
    config['advancedWebhooks'] = { isEnabled: true };
  const state: { readonly [Kind in keyof State]: unknown } = {
    organizations: readable
      .filter(({ records }) => records?.size)
      .map(({ organizationId }) => ({ organizationId })),
    folders,
    endpoints: live.endpoints?.records ?? [],
    config,
    documents: [],
    users: [],
    groups: [],
    activities: [],
    agents: [],
    agentGroups: [],
    crdt: [],
    userData: [],
  };
  return state as State;
}

/**
 * Omits the configurations that a query does not read from a simulated state: a snapshot assumes
 * some of them.
 */
export function selectRead(state: State, { configs }: LiveQuery): State {
  const config = Object.entries(state.config).filter(([name]) =>
    configs.some((read) => read === name),
  );
  return { ...state, config: Object.fromEntries(config) };
}

export function selectPredictable(writes: readonly PlannedWrite[]): readonly PlannedWrite[] {
  return writes.filter(({ operation }) => writtenClassOf(operation) === 'managed');
}

function pick(record: LiveRecord, fields: readonly string[]): LiveRecord {
  return Object.fromEntries(
    fields.flatMap((field) => (record[field] == null ? [] : [[field, record[field]]])),
  );
}
