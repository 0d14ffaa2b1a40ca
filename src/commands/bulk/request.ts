import type { Shard } from '../../bulk/id-hash.ts';
import type { InputFormat } from '../../bulk/source/record.ts';
import type { ColumnPairs } from './column-map.ts';

/** The flags of a command that takes many records, parsed. A job keeps them as JSON. */
export interface BulkOptions {
  /** At least one, where there are any. */
  readonly file?: readonly string[];
  readonly inputFormat?: InputFormat;
  readonly map?: ColumnPairs;
  readonly batchSize?: number;
  readonly concurrency: number | 'auto';
  /** Records a second. */
  readonly rate?: number;
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
