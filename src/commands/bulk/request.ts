import type { Shard } from '../../bulk/id-hash.ts';
import type { InputFormat } from '../../bulk/source/record.ts';
import type { ColumnPairs } from './column-map.ts';
import type { Pace } from './pace.ts';

/** The flags of a command that takes many records, parsed. A job keeps them as JSON. */
export interface BulkOptions extends Pace {
  /** At least one, where there are any. */
  readonly file?: readonly string[];
  readonly inputFormat?: InputFormat;
  readonly map?: ColumnPairs;
  readonly concurrency: number | 'auto';
  readonly onError: 'continue' | 'stop';
  readonly maxErrors?: number;
  readonly duplicates: 'fail' | 'first' | 'last';
  readonly shard?: Shard;
  readonly rejects?: string;
  readonly results?: string;
}

export interface BulkRequest {
  /** The fields of the operation beside its records. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The one record that flags describe. */
  readonly record: Readonly<Record<string, unknown>> | undefined;
  /** Parts of the data came from `--data`, so that what is wrong may be wrong there. */
  readonly fromDocument: boolean;
  readonly options: BulkOptions;
}
