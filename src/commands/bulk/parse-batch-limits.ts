import type { BatchLimits } from '../../bulk/batches.ts';
import { BATCH_CHARACTERS, BATCH_SIZE } from '../../bulk/pace.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { BulkOptions } from './bulk-request.ts';

/** @throws SvcError `usage` for a batch size of an operation that takes one record per call */
export function parseBatchLimits(
  { field, noun }: BulkFields,
  { batchSize, rate = BATCH_SIZE }: BulkOptions,
): BatchLimits {
  if (field === undefined && batchSize !== undefined)
    throw new SvcError(
      'usage',
      `--batch-size does not apply: each ${noun} is sent in a separate request`,
    );
  // The default batch holds at most one second of records, so that a low rate applies within each
  // second.
  const defaultSize = Math.min(BATCH_SIZE, Math.ceil(rate));
  return {
    records: field === undefined ? 1 : (batchSize ?? defaultSize),
    characters: BATCH_CHARACTERS,
  };
}
