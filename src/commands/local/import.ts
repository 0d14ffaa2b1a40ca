import type { State } from '../../catalog/state.ts';
import { exportState, importState } from '../../service/state/transfer.ts';
import { summarize } from '../../settings/plan/build-plan.ts';
import {
  collectDeclaredRecords as collectRecords,
  compareRecords,
} from '../../settings/plan/compare.ts';
import { findMilliseconds } from '../../settings/plan/unplannable.ts';
import { ensureLocalWrites, withStore } from '../connection/embedded-store.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { EMBEDDED_SERVICE } from '../service-flags.ts';
import { renderPlan } from '../settings/render-plan.ts';
import type { ImportFlags } from './flags.ts';
import { createStateError } from './imported-state.ts';
import { readState } from './read-state.ts';

/**
 * Imports a file into the embedded service and prints the number of records by type. Imports either
 * everything or nothing.
 */
export async function localImport(
  context: Context,
  { arguments: [file = '-'], options: { env } }: Invocation<ImportFlags>,
) {
  await ensureLocalWrites(context);
  const { options } = context;
  const printer = await context.printer();
  const { name, state, positionOf } = await readState(context, file, env);
  for (const { path, message } of findMilliseconds(state.users))
    await context.warn(`${await positionOf(path)}: ${message}`);
  const { findings, before } = await withStore(
    context,
    'write',
    async (store, apiKey, { time }) => ({
      ...(options.dryRun && { before: await exportState(store, apiKey) }),
      findings: await importState(
        { store, apiKey, now: time.now(), dryRun: options.dryRun, signal: context.signal },
        state,
      ),
    }),
  );
  if (findings.length > 0) {
    const problems = await Promise.all(
      findings.map(async ({ path, message }) => `${await positionOf(path)}: ${message}`),
    );
    throw await createStateError(context, name, problems);
  }
  if (before === undefined) return printer.value(countRecords(state), {});
  await context.note('--dry-run: nothing was written');
  const changes = compareRecords(
    { ...collectRecords(before), isDeclared: false },
    collectRecords(state),
  );
  const plan = {
    target: { url: EMBEDDED_SERVICE, apiKey: null },
    changes,
    predicted: [],
    notRestored: [],
  };
  await printer.value(
    { ...countRecords(state), changes },
    {
      renderText: (view) =>
        renderPlan({ ...plan, summary: summarize(changes) }, { name, purpose: 'plan', view }),
    },
  );
}

/** Counts the records of each type. For configurations, counts the configured services. */
function countRecords(state: State): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(state).map(([kind, part]) => [kind, Object.keys(part).length]),
  );
}
