import type { InputProblem } from '../../catalog/define.ts';
import type { State, StateKind } from '../../catalog/state.ts';
import type { Store } from '../store/store.ts';
import { checkState } from './check.ts';
import { createMissingOrganizations, loadScope } from './section.ts';
import { SECTIONS, STATE_KINDS } from './sections.ts';

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
}

/** Omitted fields keep their values. @returns the problems that prevent the import; empty if it succeeded */
export function importState({ store, apiKey, now, dryRun }: StateImport, state: State): Promise<readonly InputProblem[]> {
  return store.write(async (database) => {
    const current = await loadScope({ database, apiKey, now });
    const findings = await checkState(current, state);
    if (dryRun || findings.length > 0) return findings;
    const scope = await createMissingOrganizations(current, state);
    const write = <Kind extends StateKind>(kind: Kind) => SECTIONS[kind].write(scope, state[kind]);
    for (const kind of STATE_KINDS) await write(kind);
    return findings;
  });
}
