import type * as z from 'zod/mini';
import type { BatchLimits } from '../../bulk/batches.ts';
import type { JobDescription } from '../../bulk/journal/job-description.ts';
import { BATCH_CHARACTERS, BATCH_SIZE } from '../../bulk/pace.ts';
import type { FileChoice } from '../../bulk/record-input.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import { STORED_OPTIONS } from '../../catalog/bulk-options.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { MapFileOptions } from './input-flags.ts';

/** Parsed flags of a bulk command. A job stores them as JSON. `rate` is in records per second. */
export type BulkOptions = Readonly<z.infer<typeof STORED_OPTIONS>>;

export interface BulkRequest {
  readonly data: Readonly<Record<string, unknown>>;
  readonly record: Readonly<Record<string, unknown>> | undefined;
  /** Whether any data came from `--data`. */
  readonly usesDataFlag: boolean;
  /**
   * Whether the organization in `data` comes from the settings, so that records may name others.
   */
  readonly hasDefaultOrganization?: boolean;
  /**
   * Prompts for required IDs that neither the command nor the records contain, and returns them.
   */
  readonly pickIds?: (() => Promise<Readonly<Record<string, unknown>>>) | undefined;
  /**
   * The version of the operation to use if records contain fields that only this version has, and
   * its additional data.
   */
  readonly newer?:
    | { readonly entry: OperationEntry; readonly data: Readonly<Record<string, unknown>> }
    | undefined;
  readonly options: BulkOptions;
  /** Copies of the files in a saved plan, which are read in place of the files in the options. */
  readonly copies?: readonly FileChoice[];
  /** File to save a plan to, instead of sending the records. */
  readonly out?: string | undefined;
  readonly mapFile?: MapFileOptions;
  /** Saves the mappings of columns that the file of mappings does not have. */
  readonly saveColumns?: () => Promise<void>;
  readonly flags: object;
  /** Whether the user is asked about organizations of the records that are unknown or unclear. */
  readonly asksAboutOrganizations?: boolean;
  /** Flags that answer the questions so far, for the line that repeats the command. */
  readonly answers?: readonly string[];
  /** Whether an answer started the request again, after its warnings were shown. */
  readonly isRestarted?: true;
}

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

/** @throws SvcError `local` for an unknown, missing, or invalid option */
export function parseStoredOptions({ job, options }: Pick<JobDescription, 'job' | 'options'>) {
  const { data, error } = STORED_OPTIONS.safeParse(options);
  if (data) return data;
  const [issue] = error.issues;
  const name = issue?.code === 'unrecognized_keys' ? issue.keys[0] : String(issue?.path[0]);
  throw new SvcError(
    'local',
    `job ${job} has an option that this version of svc cannot read: ${name}`,
    {
      hint: 'resume the job with the version that started it',
    },
  );
}
