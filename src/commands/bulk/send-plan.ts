import type { BatchLimits } from '../../bulk/batches.ts';
import type { BulkOptions } from './bulk-request.ts';
import type { CheckedInput } from './gather-input.ts';
import type { BatchCalls } from './request-sender.ts';

/** Everything a run needs besides its job; the same for a first and a resumed run. */
export interface SendPlan {
  readonly calls: BatchCalls;
  readonly input: CheckedInput;
  readonly options: BulkOptions;
  readonly limits: BatchLimits;
}
