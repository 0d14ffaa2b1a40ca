import type { BatchLimits } from '../../bulk/batches.ts';
import type { BulkInput } from './gather-input.ts';
import type { BulkOptions } from './request.ts';
import type { BatchCalls } from './send.ts';

/** What a run of a job needs beside the job: the same for the first run and for one that goes on. */
export interface Work {
  readonly calls: BatchCalls;
  readonly input: BulkInput;
  readonly options: BulkOptions;
  readonly limits: BatchLimits;
}
