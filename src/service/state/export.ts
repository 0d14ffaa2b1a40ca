import type { State } from '../../catalog/state.ts';
import type { Store } from '../store/store.ts';
import { scopeOf } from './scope.ts';
import { KINDS, SECTIONS } from './sections.ts';

/** Everything that belongs to an API key, as of one moment. The same data is always the same text. */
export function exportState(store: Store, apiKey: string): Promise<State> {
  return store.read(async (database) => {
    const scope = await scopeOf({ database, apiKey, now: 0 });
    const parts: [string, unknown][] = [];
    for (const kind of KINDS) parts.push([kind, await SECTIONS[kind].read(scope)]);
    return Object.fromEntries(parts) as State;
  });
}
