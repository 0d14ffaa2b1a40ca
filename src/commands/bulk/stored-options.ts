import * as z from 'zod';
import type { JobDescription } from '../../bulk/journal/job-description.ts';
import { SvcError } from '../../kernel/errors.ts';

const COUNT = z.int().min(0).exactOptional();
const TEXT = z.string().exactOptional();

export const COLUMN_MAP = z.array(z.tuple([z.string(), z.string()]).readonly()).readonly();

export const STORED_OPTIONS = z.strictObject({
  file: z.array(z.string()).readonly().exactOptional(),
  inputFormat: z.enum(['json', 'ndjson', 'csv', 'yaml']).exactOptional(),
  map: COLUMN_MAP.exactOptional(),
  batchSize: COUNT,
  concurrency: z.union([z.literal('auto'), z.int().min(0)]),
  rate: z.number().positive().exactOptional(),
  onError: z.enum(['continue', 'stop']),
  maxErrors: COUNT,
  duplicates: z.enum(['fail', 'first', 'last']),
  ifExists: z.enum(['skip', 'update']).exactOptional(),
  shard: z.object({ part: z.int(), of: z.int() }).exactOptional(),
  rejects: TEXT,
  results: TEXT,
});

/** @throws SvcError `local` for an unknown, missing, or invalid option */
export function parseStoredOptions({ job, options }: Pick<JobDescription, 'job' | 'options'>) {
  const { data, error } = STORED_OPTIONS.safeParse(options);
  if (data) return data;
  const [issue] = error.issues;
  const name = issue?.code === 'unrecognized_keys' ? issue.keys[0] : String(issue?.path[0]);
  throw new SvcError('local', `job ${job} has an option that this version of svc cannot read: ${name}`, {
    hint: 'resume the job with the version that started it',
  });
}
