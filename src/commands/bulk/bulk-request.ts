import type { Shard } from '../../bulk/id-hash.ts';
import type { InputFormat } from '../../bulk/source/source.ts';
import type { ColumnMap } from './input-flags.ts';
import type { ThroughputOptions } from './throughput-flags.ts';

/** Parsed flags of a bulk command. A job stores them as JSON. */
export interface BulkOptions extends ThroughputOptions {
  readonly file?: readonly string[];
  readonly inputFormat?: InputFormat;
  readonly map?: ColumnMap;
  readonly concurrency: number | 'auto';
  readonly onError: 'continue' | 'stop';
  readonly maxErrors?: number;
  readonly duplicates: 'fail' | 'first' | 'last';
  readonly ifExists?: 'skip' | 'update';
  readonly shard?: Shard;
  readonly rejects?: string;
  readonly results?: string;
}

export interface BulkRequest {
  /** Fields of the operation other than its records. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly record: Readonly<Record<string, unknown>> | undefined;
  /** Whether any data came from `--data`. */
  readonly usesDataFlag: boolean;
  readonly options: BulkOptions;
  readonly flags: object;
}
