import type { State } from '../../catalog/state.ts';
import { importState } from '../../service/state/transfer.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { withStore } from '../embedded/store.ts';
import { createStateError, formatStatePosition, readState } from './read-state.ts';

/** Imports a file into the embedded service and prints the number of records by type. Imports all or nothing. */
export async function localImport(context: Context, { arguments: [file = '-'] }: Invocation): Promise<void> {
  const { clock, options } = context;
  const printer = await context.printer();
  const { name, state } = await readState(context, file);
  const findings = await withStore(context, 'write', (store, apiKey) =>
    importState({ store, apiKey, now: clock.now(), dryRun: options.dryRun }, state),
  );
  if (findings.length > 0) {
    const problems = findings.map(({ path, message }) => `${formatStatePosition(name, path)}: ${message}`);
    throw await createStateError(context, name, problems);
  }
  if (options.dryRun) await context.note('--dry-run: nothing was written');
  await printer.value(countRecords(state), {});
}

/** Counts the records of each type. For configurations, counts the configured services. */
function countRecords(state: State): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(state).map(([kind, part]) => [kind, Object.keys(part).length]));
}
