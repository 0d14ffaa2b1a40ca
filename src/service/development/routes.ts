import type { AdminRoutes } from './admin.ts';
import { type ClockContext, clockRoutes } from './clock-control.ts';
import { type SnapshotContext, snapshotRoutes } from './snapshots/snapshot-routes.ts';

export interface DevelopmentContext extends ClockContext, SnapshotContext {
  /** Key that owns the data of `--local`. */
  readonly apiKey: string;
}

/** Collects the admin routes of all tools for development. */
export function createRoutes(context: DevelopmentContext): AdminRoutes {
  return { ...clockRoutes(context), ...snapshotRoutes(context) };
}
