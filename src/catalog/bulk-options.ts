import * as z from 'zod/mini';

const COUNT = z.exactOptional(z.int().check(z.gte(0)));
const TEXT = z.exactOptional(z.string());
export const COLUMN_MAP = z.readonly(z.array(z.readonly(z.tuple([z.string(), z.string()]))));

export const INPUT_FORMAT = z.enum(['json', 'ndjson', 'csv', 'yaml', 'xlsx']);
export type InputFormat = z.infer<typeof INPUT_FORMAT>;

/** Options of a bulk job, as stored in its journal. */
export const STORED_OPTIONS = z.strictObject({
  file: z.exactOptional(z.readonly(z.array(z.string()))),
  inputFormat: z.exactOptional(INPUT_FORMAT),
  encoding: TEXT,
  sheet: TEXT,
  separator: TEXT,
  headerRow: COUNT,
  allowSuspicious: z.exactOptional(z.boolean()),
  map: z.exactOptional(COLUMN_MAP),
  mapOrg: z.exactOptional(COLUMN_MAP),
  batchSize: COUNT,
  concurrency: z.union([z.literal('auto'), z.int().check(z.gte(0))]),
  rate: z.exactOptional(z.number().check(z.positive())),
  onError: z.enum(['continue', 'stop']),
  maxErrors: COUNT,
  duplicates: z.enum(['fail', 'first', 'last']),
  ifExists: z.exactOptional(z.enum(['skip', 'update'])),
  shard: z.exactOptional(z.object({ part: z.int(), of: z.int() })),
  rejects: TEXT,
  results: TEXT,
});
