import type { AdminRoutes } from './admin.ts';
import { type ClockContext, createClockRoutes } from './clock-control.ts';
import { createDeliveryRoutes } from './delivery-routes.ts';
import { createFaultRoutes } from './faults/fault-control.ts';
import { createReader, createReadingRoutes, type ReaderContext } from './reading/reader.ts';
import type { RequestLog } from './requests/request-log.ts';
import { createRequestRoutes } from './requests/request-routes.ts';
import { createSnapshotRoutes, type SnapshotContext } from './snapshots/snapshot-routes.ts';

export interface DevelopmentContext extends ClockContext, ReaderContext, SnapshotContext {
  /** Undefined if requests are not logged. */
  readonly requests: RequestLog | undefined;
}

export function createRoutes(context: DevelopmentContext): AdminRoutes {
  const reader = createReader(context);
  return {
    ...createClockRoutes(context),
    ...createFaultRoutes(context),
    ...createSnapshotRoutes(context),
    ...createRequestRoutes(context),
    ...createDeliveryRoutes(context),
    ...createReadingRoutes(reader),
  };
}
