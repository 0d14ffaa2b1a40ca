import type { State } from '../../catalog/state.ts';
import { importState } from '../../service/state/import.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { withStore } from '../embedded/store.ts';
import { placeIn, readState, stateRefusal } from './read-state.ts';

/** Loads a file into the embedded service, whole or not at all, and prints how many records of each kind it held. */
export async function localImport(context: Context, { arguments: [file = '-'] }: Invocation): Promise<void> {
  const { clock, options } = context;
  const printer = await context.printer();
  const { name, state } = await readState(context, file);
  const findings = await withStore(context, 'write', (store, apiKey) =>
    importState({ store, apiKey, now: clock.now(), dryRun: options.dryRun }, state),
  );
  if (findings.length > 0) {
    const problems = findings.map(({ path, message }) => `${placeIn(name, path)}: ${message}`);
    throw await stateRefusal(context, name, problems);
  }
  if (options.dryRun) await context.note('nothing was written: --dry-run');
  await printer.value(counts(state), {});
}

/** The number of records of each kind; of configurations, the services. */
function counts(state: State): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(state).map(([kind, part]) => [kind, Object.keys(part).length]));
}
