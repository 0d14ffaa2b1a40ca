import * as z from 'zod/mini';
import { INPUT_FORMAT, STORED_OPTIONS } from '../../catalog/bulk-options.ts';

export const name = z.string().check(z.minLength(1));
export const sha256 = z
  .string()
  .check(z.regex(/^[0-9a-f]{64}$/, { error: 'expected a SHA-256 hash' }));
const count = z.int().check(z.gte(0));
const fields = z.record(z.string(), z.unknown());

const file = z.strictObject({
  name,
  path: z.nullable(name),
  // A name without a folder, so that the copy is beside the plan.
  copy: name.check(z.regex(/^[^/\\]+$/, { error: 'expected the name of a file' })),
  format: INPUT_FORMAT,
  bytes: count,
  sha256,
});

const writeOfCalls = z.strictObject({
  operation: name,
  inputs: z.array(fields).check(z.minLength(1)),
});

const writeOfRecords = z.strictObject({
  operation: name,
  data: fields,
  hasDefaultOrganization: z.boolean(),
  options: STORED_OPTIONS,
  records: z.exactOptional(z.array(z.unknown())),
  files: z.array(file),
  total: count,
  requests: count,
  organizations: z.exactOptional(
    z.array(z.strictObject({ id: z.string(), total: count, new: z.boolean() })),
  ),
});

/** The shape of a saved write. */
export const savedWriteSchema = z.strictObject({
  svc: z.literal(1),
  createdAt: z.iso.datetime(),
  profile: z.nullable(name),
  target: z.strictObject({ url: z.string(), apiKey: z.nullable(z.string()) }),
  write: z.union([writeOfCalls, writeOfRecords]),
  command: z.array(z.string()),
  sha256,
});
