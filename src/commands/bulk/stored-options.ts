import * as z from 'zod';
import type { JobDescription } from '../../bulk/journal/job-description.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { BulkOptions } from './bulk-request.ts';

const text = z.string();
const count = z.int().min(0);

export const columnMapSchema = z.array(z.tuple([text, text]));

const storedOptions = z.strictObject({
  file: z.array(text).optional(),
  inputFormat: z.enum(['json', 'ndjson', 'csv', 'yaml']).optional(),
  map: columnMapSchema.optional(),
  batchSize: count.optional(),
  concurrency: z.union([z.literal('auto'), count]),
  rate: z.number().positive().optional(),
  onError: z.enum(['continue', 'stop']),
  maxErrors: count.optional(),
  duplicates: z.enum(['fail', 'first', 'last']),
  ifExists: z.enum(['skip', 'update']).optional(),
  shard: z.object({ part: count, of: count }).optional(),
  rejects: text.optional(),
  results: text.optional(),
} satisfies Record<keyof BulkOptions, z.ZodType>);

/** @throws SvcError `local` for an unknown, missing, or invalid option */
export function parseStoredOptions({ job, options }: Pick<JobDescription, 'job' | 'options'>): BulkOptions {
  const [issue] = storedOptions.safeParse(options).error?.issues ?? [];
  if (!issue) return options as object as BulkOptions;
  const [name] = issue.code === 'unrecognized_keys' ? issue.keys : issue.path;
  throw new SvcError('local', `job ${job} has an option that this version of svc cannot read: ${String(name)}`, {
    hint: 'resume the job with the version that started it',
  });
}
