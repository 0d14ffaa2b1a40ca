import type { State } from '../../../catalog/state.ts';
import { invalidArgument } from '../../store/refusal.ts';
import type { AdminRoutes } from '../admin.ts';
import type { Snapshots } from './snapshots.ts';

export interface SnapshotContext {
  readonly location: string;
  /**
   * Compares the states of a snapshot and of the store. If undefined, there is no route for
   * comparisons.
   */
  readonly compareStates?: (snapshot: State, current: State) => Promise<unknown>;
}

/**
 * Opens the snapshots on demand, because most servers never use them.
 * @throws SvcError `usage` for a PostgreSQL store
 */
export async function openSnapshots({ location }: SnapshotContext): Promise<Snapshots> {
  return (await import('./snapshots.ts')).createSnapshots(location);
}

const ACTIONS = ['save', 'restore', 'remove'] as const;

export function createSnapshotRoutes(context: SnapshotContext): AdminRoutes {
  const { compareStates } = context;
  return {
    'GET /_svc/snapshots': async () => ({ snapshots: await (await openSnapshots(context)).list() }),
    'POST /_svc/snapshots': async ({ body }) => {
      const [action, ...others] = ACTIONS.filter((name) => typeof body[name] === 'string');
      if (action === undefined || others.length > 0)
        throw invalidArgument(
          'the body must contain one of save, restore, and remove, such as {"save":"seed"}',
        );
      const snapshots = await openSnapshots(context);
      return (await snapshots[action](String(body[action]))) ?? {};
    },
    ...(compareStates && {
      'GET /_svc/snapshots/<name>': async ({ segments: [name = ''] }) => {
        const { snapshot, current } = await (await openSnapshots(context)).compare(name);
        return { changes: await compareStates(snapshot, current) };
      },
    }),
  };
}
