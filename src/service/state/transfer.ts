import type { InputProblem } from '../../catalog/define.ts';
import type { StateKind } from '../../catalog/record-kinds.ts';
import type { State } from '../../catalog/state.ts';
import type { Store } from '../store/store.ts';
import { checkState } from './check.ts';
import { config, endpoints } from './config.ts';
import { activities, crdt, documents, folders } from './content.ts';
import { agentGroups, agents, organizations } from './organizations.ts';
import { createMissingOrganizations, loadScope, type Section } from './section.ts';
import { groups, userData, users } from './users.ts';

/** Exports all data of an API key as a consistent snapshot. The output is deterministic. */
export function exportState(store: Store, apiKey: string): Promise<State> {
  return store.read(async (database) => {
    const scope = await loadScope({ database, apiKey, now: 0 });
    const sections: [string, unknown][] = [];
    for (const kind of STATE_KINDS) sections.push([kind, await SECTIONS[kind].read(scope)]);
    return Object.fromEntries(sections) as State;
  });
}

export interface StateImport {
  readonly store: Store;
  readonly apiKey: string;
  readonly now: number;
  readonly dryRun: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Omitted fields keep their values. Imports nothing if the signal is aborted, and rejects with its
 * reason.
 * @returns the problems that prevent the import; empty if it succeeded
 */
export function importState(
  { store, apiKey, now, dryRun, signal }: StateImport,
  state: State,
): Promise<readonly InputProblem[]> {
  return store.write(async (database) => {
    const current = await loadScope({ database, apiKey, now, signal });
    const findings = await checkState(current, state);
    if (dryRun || findings.length > 0) return findings;
    const scope = await createMissingOrganizations(current, state);
    const write = <Kind extends StateKind>(kind: Kind) => SECTIONS[kind].write(scope, state[kind]);
    for (const kind of STATE_KINDS) await write(kind);
    return findings;
  });
}

/** Sections of the state, in an order that satisfies their references. */
const SECTIONS: { readonly [Kind in StateKind]: Section<Kind> } = {
  organizations,
  folders,
  documents,
  users,
  groups,
  activities,
  agents,
  agentGroups,
  crdt,
  userData,
  endpoints,
  config,
};

const STATE_KINDS = Object.keys(SECTIONS) as readonly StateKind[];
