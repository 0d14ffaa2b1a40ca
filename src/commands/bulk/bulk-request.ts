import type * as z from 'zod';
import type { STORED_OPTIONS } from '../../catalog/bulk-options.ts';

/** Parsed flags of a bulk command. A job stores them as JSON. `rate` is in records per second. */
export type BulkOptions = Readonly<z.infer<typeof STORED_OPTIONS>>;

export interface BulkRequest {
  readonly data: Readonly<Record<string, unknown>>;
  readonly record: Readonly<Record<string, unknown>> | undefined;
  /** Whether any data came from `--data`. */
  readonly usesDataFlag: boolean;
  readonly options: BulkOptions;
  readonly flags: object;
}
