import type { BatchLimits } from '../../bulk/batches.ts';
import type { BatchCalls } from '../../bulk/request-sender.ts';
import type { BulkOptions } from './bulk-request.ts';
import type { CheckedInput } from './gather-input.ts';

/** Everything a run needs besides its job; the same for a first and a resumed run. */
export interface SendPlan {
  readonly calls: BatchCalls;
  readonly input: CheckedInput;
  readonly options: BulkOptions;
  readonly limits: BatchLimits;
}
