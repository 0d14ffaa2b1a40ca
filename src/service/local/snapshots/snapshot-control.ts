import type { State } from '../../../catalog/state.ts';
import { Refusal } from '../../store/refusal.ts';
import type { AdminHandlers } from '../handler.ts';
import type { Snapshots } from './snapshots.ts';

export interface SnapshotContext {
  readonly location: string;
  /** Compares the states of a snapshot and of the store. If undefined, nothing can be compared. */
  readonly compareStates?: (snapshot: State, current: State) => unknown;
  /** Receives an error for each unreadable snapshot. */
  readonly onUnreadable?: (error: unknown) => void;
}

/**
 * Opens the snapshots on demand, because most servers never use them.
 * @throws SvcError `usage` for a PostgreSQL store
 */
export async function openSnapshots({
  location,
}: Pick<SnapshotContext, 'location'>): Promise<Snapshots> {
  return (await import('./snapshots.ts')).createSnapshots(location);
}

export const snapshots: AdminHandlers<'snapshots', SnapshotContext> = {
  'local.snapshot.save': async (context, { save }) => (await openSnapshots(context)).save(save),
  'local.snapshot.restore': async (context, { restore }) =>
    (await openSnapshots(context)).restore(restore),
  'local.snapshot.list': async (context) => ({
    snapshots: await (await openSnapshots(context)).list(context.onUnreadable),
  }),
  'local.snapshot.diff': async (context, { name }) => {
    const { compareStates } = context;
    if (!compareStates) throw new Refusal('NOT_FOUND', 'Not Found');
    const { snapshot, current } = await (await openSnapshots(context)).compare(name);
    return { changes: compareStates(snapshot, current) };
  },
  'local.snapshot.remove': async (context, { remove }) => {
    await (await openSnapshots(context)).remove(remove);
    return {};
  },
};
