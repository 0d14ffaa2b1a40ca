import type { Clock } from '../../kernel/clock.ts';
import type { Store } from '../store/store.ts';
import type { AdminRoutes } from './admin.ts';
import { clockRoutes } from './clock-control.ts';
import { faultRoutes } from './faults/fault-control.ts';
import type { RequestLog } from './requests/request-log.ts';
import { requestRoutes } from './requests/request-routes.ts';
import type { DevelopmentState } from './state.ts';

export interface DevelopmentContext {
  readonly store: Store;
  /** Key that owns the data of `--local`. */
  readonly apiKey: string;
  readonly development: DevelopmentState;
  readonly realClock: Clock;
  /** Undefined if requests are not logged. */
  readonly requests: RequestLog | undefined;
}

/** Collects the admin routes of all tools for development. */
export function createRoutes(context: DevelopmentContext): AdminRoutes {
  return { ...clockRoutes(context), ...faultRoutes(context), ...requestRoutes(context) };
}
