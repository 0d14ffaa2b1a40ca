import type { AdminRoutes } from './admin.ts';
import { type ClockContext, clockRoutes } from './clock-control.ts';
import { createReader, type ReaderContext, readingRoutes } from './reading/reader.ts';

/** The API key owns the data of `--local`. */
export interface DevelopmentContext extends ClockContext, ReaderContext {}

/** Collects the admin routes of all tools for development. */
export function createRoutes(context: DevelopmentContext): AdminRoutes {
  return { ...clockRoutes(context), ...readingRoutes(createReader(context)) };
}
