import type { BatchLimits } from '../../bulk/batches.ts';
import type { BatchCalls } from '../../bulk/request-sender.ts';
import type { BulkOptions } from './bulk-request.ts';
import type { CheckedInput } from './gather-input.ts';

/** Inputs of a run, besides its job. A first run and a resumed run use the same plan. */
export interface SendPlan {
  readonly calls: BatchCalls;
  readonly input: CheckedInput;
  readonly options: BulkOptions;
  readonly limits: BatchLimits;
}
