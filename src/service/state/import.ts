import type { Finding } from '../../catalog/define.ts';
import type { State, StateKind } from '../../catalog/state.ts';
import type { Store } from '../store/store.ts';
import { findingsIn } from './references.ts';
import { scopeOf, withOrganizationsOf } from './scope.ts';
import { KINDS, SECTIONS } from './sections.ts';

export interface Import {
  readonly store: Store;
  /** Whose the records become. */
  readonly apiKey: string;
  readonly now: number;
  /** Only looks for what would stand in the way. */
  readonly dryRun: boolean;
}

/**
 * Adds a state to what an API key has, in one transaction: whole, or not at all. A record that exists is updated, and
 * what it does not say stays.
 * @returns what stands in the way; nothing when it was written
 */
export function importState({ store, apiKey, now, dryRun }: Import, state: State): Promise<readonly Finding[]> {
  return store.write(async (database) => {
    const before = await scopeOf({ database, apiKey, now });
    const findings = await findingsIn(before, state);
    if (dryRun || findings.length > 0) return findings;
    const scope = await withOrganizationsOf(before, state);
    const write = <Kind extends StateKind>(kind: Kind) => SECTIONS[kind].write(scope, state[kind]);
    for (const kind of KINDS) await write(kind);
    return findings;
  });
}
