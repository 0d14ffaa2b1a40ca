import { SvcError } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { openSnapshots } from '../../service/local/snapshots/snapshot-control.ts';
import { resolveStoreLocation } from '../../service/store/location.ts';
import { summarize } from '../../settings/plan/build-plan.ts';
import { compareStates } from '../../settings/plan/compare.ts';
import { explainRefusals } from '../connection/embedded-store.ts';
import { EMBEDDED_SERVICE } from '../service-flags.ts';
import { printPlan } from '../settings/print-plan.ts';
import { createLocalCommand } from './operation.ts';

/** Fails with `differs` if the data changed since the snapshot. */
export const diffSnapshot = createLocalCommand('local.snapshot.diff', {
  run: async ({ context, inputs: [{ name }] }) => {
    const location = await resolveStoreLocation(context.options.store, context.folders);
    const snapshots = await openSnapshots({ location });
    const { snapshot, current } = await explainRefusals('read', () => snapshots.compare(name));
    const changes = compareStates(snapshot, current);
    const target = { url: EMBEDDED_SERVICE, apiKey: null };
    const plan = { target, changes, predicted: [], notRestored: [], summary: summarize(changes) };
    await printPlan(context, plan, `snapshot ${name}`, { purpose: 'history' });
    if (changes.length === 0) return;
    throw new SvcError(
      'differs',
      `the data has changed since snapshot ${name}: ${formatNounCount(changes.length, 'difference')}`,
    );
  },
});
