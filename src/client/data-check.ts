import type * as z from 'zod';
import { valueAt } from '../kernel/field-path.ts';
import { isObject } from '../kernel/json.ts';

type Path = readonly PropertyKey[];
type Issue = { readonly path: Path };

interface CheckOptions {
  /** Whether missing fields count as unexpected. By default, a service may omit fields. */
  readonly strict: boolean;
  /** Whether to check values one by one, because there may be millions. */
  readonly large: boolean;
}

/**
 * Finds the first value that does not match its schema. Yields between values, so that callers can
 * interrupt a long check. Fields may be missing, but each record needs at least one known field.
 * @returns the path of the value; `undefined` if all of the data matches
 */
export function* findUnexpectedValue(data: unknown, schema: z.ZodType, options: CheckOptions) {
  const issues = options.large
    ? findIssues(schema, data, [])
    : (schema.safeParse(data).error?.issues ?? []);
  let known: unknown;
  for (const issue of issues) {
    yield;
    if (!issue) continue;
    const { path } = issue;
    if (options.strict || valueAt(data, path) !== undefined) return path;
    const record = Array.isArray(data) ? valueAt(data, path.slice(0, 1)) : data;
    if (record !== known && !isIdentifiable(record, Array.isArray(data) ? undefined : schema))
      return path;
    known = record;
  }
  return undefined;
}

function isIdentifiable(record: unknown, schema: z.ZodType | undefined): boolean {
  if (!isObject(record)) return false;
  if (!schema) return Object.keys(record).length > 0;
  const { shape } = schema as { readonly shape?: object };
  return Object.keys(shape ?? {}).some((field) => record[field] !== undefined);
}

/**
 * Yields the issues of data, and `undefined` for each valid value. Descends into lists, records,
 * and objects.
 */
function* findIssues(
  schema: z.core.$ZodType,
  data: unknown,
  path: Path,
): Generator<Issue | undefined> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (!def.checks?.length) {
    if (def.type === 'optional' && data === undefined) return;
    if (def.type === 'nullable' && data === null) return;
    if (def.type === 'optional' || def.type === 'nullable')
      return yield* findIssues(def.innerType, data, path);
    if (def.type === 'lazy') return yield* findIssues(def.getter(), data, path);
    if (def.type === 'array' && Array.isArray(data)) {
      for (const [at, item] of data.entries()) yield* findIssues(def.element, item, [...path, at]);
      return;
    }
    if (def.type === 'record' && isObject(data)) {
      for (const key of Object.keys(data))
        yield* findIssues(def.valueType, data[key], [...path, key]);
      return;
    }
    if (def.type === 'object' && isObject(data)) {
      for (const key of Object.keys(def.shape)) {
        const field = def.shape[key];
        if (field) yield* findIssues(field, data[key], [...path, key]);
      }
      return;
    }
  }
  yield;
  // Millions of fields may be missing, and each zod error is slow to create.
  if (data === undefined) {
    if (!isOptional(schema)) yield { path };
    return;
  }
  for (const issue of (schema as z.ZodType).safeParse(data).error?.issues ?? [])
    yield { path: [...path, ...issue.path] };
}

const optionalSchemas = new WeakMap<z.core.$ZodType, boolean>();

function isOptional(schema: z.core.$ZodType): boolean {
  const known = optionalSchemas.get(schema);
  if (known !== undefined) return known;
  const { success } = (schema as z.ZodType).safeParse(undefined);
  optionalSchemas.set(schema, success);
  return success;
}
