import type { State } from '../../catalog/state.ts';
import type { Store } from '../store/store.ts';
import { loadScope } from './section.ts';
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
