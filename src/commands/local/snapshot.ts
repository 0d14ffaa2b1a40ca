import { SvcError } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { formatBytes } from '../../output/quantities.ts';
import { createSnapshots } from '../../service/development/snapshots/snapshots.ts';
import { displayStoreLocation, resolveStoreLocation } from '../../service/store/location.ts';
import { summarize } from '../../settings/build-plan.ts';
import { compareStates } from '../../settings/compare-states.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { ensureLocalWrites, explainRefusals } from '../embedded/store.ts';
import { printPlan } from '../plan/print-plan.ts';
import { EMBEDDED_SERVICE } from '../service-flags.ts';
import { SNAPSHOT_COLUMNS } from './snapshot-columns.ts';

export async function saveSnapshot(
  context: Context,
  { arguments: [name = ''] }: Invocation,
): Promise<void> {
  await ensureLocalWrites(context);
  const { snapshots } = await openSnapshots(context);
  if (context.options.dryRun) return context.note('--dry-run: nothing was saved');
  await (await context.printer()).value(
    await explainRefusals('write', () => snapshots.save(name)),
    {},
  );
  await context.note(`saved snapshot ${name}`);
}

export async function restoreSnapshot(
  context: Context,
  { arguments: [name = ''] }: Invocation,
): Promise<void> {
  await ensureLocalWrites(context);
  const { snapshots, store } = await openSnapshots(context);
  await snapshots.find(name);
  if (context.options.dryRun) return context.note('--dry-run: nothing was restored');
  await context.confirm(`Replace all data in ${store} with snapshot ${name}?`, 'this machine');
  await (await context.printer()).value(
    await explainRefusals('write', () => snapshots.restore(name)),
    {},
  );
  await context.note(`restored ${store} from snapshot ${name}`);
}

export async function listSnapshots(context: Context): Promise<void> {
  const { snapshots } = await openSnapshots(context);
  const unreadable: string[] = [];
  const found = await snapshots.list((error) => unreadable.push((error as Error).message));
  const rows = found.map(({ records, bytes, ...shown }) => ({
    ...shown,
    size: formatBytes(bytes),
    ...records,
  }));
  await (await context.printer()).value(found, { table: { rows, columns: SNAPSHOT_COLUMNS } });
  for (const message of unreadable) await context.warn(message);
  if (found.length === 0) await context.note('no snapshots found');
}

/** @throws SvcError `differs` if the data changed since the snapshot */
export async function diffSnapshot(
  context: Context,
  { arguments: [name = ''] }: Invocation,
): Promise<void> {
  const { snapshots } = await openSnapshots(context);
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
}

export async function removeSnapshot(
  context: Context,
  { arguments: [name = ''] }: Invocation,
): Promise<void> {
  await ensureLocalWrites(context);
  const { snapshots } = await openSnapshots(context);
  await snapshots.find(name);
  if (context.options.dryRun) return context.note('--dry-run: nothing was removed');
  await snapshots.remove(name);
  await context.note(`removed snapshot ${name}`);
}

async function openSnapshots({ options, folders }: Context) {
  const location = await resolveStoreLocation(options.store, folders);
  return { snapshots: createSnapshots(location), store: displayStoreLocation(location) };
}
