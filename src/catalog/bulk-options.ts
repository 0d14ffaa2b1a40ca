import * as z from 'zod';

const COUNT = z.int().min(0).exactOptional();
const TEXT = z.string().exactOptional();
export const COLUMN_MAP = z.array(z.tuple([z.string(), z.string()]).readonly()).readonly();

/** Options of a bulk job, as stored in its journal. */
export const STORED_OPTIONS = z.strictObject({
  file: z.array(z.string()).readonly().exactOptional(),
  inputFormat: z.enum(['json', 'ndjson', 'csv', 'yaml', 'xlsx']).exactOptional(),
  encoding: TEXT,
  sheet: TEXT,
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
