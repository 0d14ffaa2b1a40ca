import type { AdminRoutes } from './admin.ts';
import { type ClockContext, clockRoutes } from './clock-control.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { faultRoutes } from './faults/fault-control.ts';
import { createReader, type ReaderContext, readingRoutes } from './reading/reader.ts';
import type { RequestLog } from './requests/request-log.ts';
import { requestRoutes } from './requests/request-routes.ts';
import { type SnapshotContext, snapshotRoutes } from './snapshots/snapshot-routes.ts';

export interface DevelopmentContext extends ClockContext, ReaderContext, SnapshotContext {
  /** Undefined if requests are not logged. */
  readonly requests: RequestLog | undefined;
}

export function createRoutes(context: DevelopmentContext): AdminRoutes {
  const reader = createReader(context);
  return {
    ...clockRoutes(context),
    ...faultRoutes(context),
    ...snapshotRoutes(context),
    ...requestRoutes(context),
    ...deliveryRoutes(context),
    ...readingRoutes(reader),
  };
}
