import type * as z from 'zod/mini';
import { compileOnReuse } from '../catalog/compiled-schema.ts';
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
 * interrupt a long check. Fields may be missing, but each record needs at least one field, and data
 * that is an object at least one known field.
 * @returns the path of the value; `undefined` if all of the data matches
 */
export function* findUnexpectedValue(data: unknown, schema: z.ZodMiniType, options: CheckOptions) {
  const issues = options.large
    ? findIssues(schema, data, { path: [], strict: options.strict })
    : (schema.safeParse(data).error?.issues ?? []);
  let known: unknown;
  for (const issue of issues) {
    yield;
    if (!issue) continue;
    const { path } = issue;
    if (options.strict || valueAt(data, path) !== undefined) return path;
    const recordPath = findRecordPath(path);
    const record = valueAt(data, recordPath);
    if (record !== known && !isIdentifiable(record, recordPath.length > 0 ? undefined : schema))
      return path;
    known = record;
  }
  return undefined;
}

/**
 * Returns the path of the record that contains a value: an item of the data, or of a list in its
 * fields. Every other value belongs to the data itself.
 */
function findRecordPath(path: Path): Path {
  const at = path.slice(0, 2).findIndex((key) => typeof key === 'number');
  return path.slice(0, at + 1);
}

function isIdentifiable(record: unknown, schema: z.ZodMiniType | undefined): boolean {
  if (!isObject(record)) return false;
  if (!schema) return Object.keys(record).length > 0;
  const { shape } = schema as { readonly shape?: object };
  return Object.keys(shape ?? {}).some((field) => record[field] !== undefined);
}

interface Place {
  readonly path: Path;
  readonly strict: boolean;
}

/**
 * Yields the issues of data, and `undefined` for each valid value. Descends into lists, records,
 * and objects. If fields may be missing, yields only the first missing field of an object.
 */
function* findIssues(
  schema: z.core.$ZodType,
  data: unknown,
  place: Place,
): Generator<Issue | undefined> {
  const { path } = place;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (!def.checks?.length && typeof data === 'object') {
    if (def.type === 'nullable' && data === null) return;
    if (def.type === 'optional' || def.type === 'nullable')
      return yield* findIssues(def.innerType, data, place);
    if (def.type === 'lazy') return yield* findIssues(def.getter(), data, place);
    if (def.type === 'array' && Array.isArray(data)) {
      for (const [at, item] of data.entries()) {
        if (isFlat(item) && isValid(compileOnReuse(def.element), item)) yield;
        else yield* findIssues(def.element, item, { ...place, path: [...path, at] });
      }
      return;
    }
    if (def.type === 'record' && isObject(data)) {
      for (const key of Object.keys(data))
        yield* findIssues(def.valueType, data[key], { ...place, path: [...path, key] });
      return;
    }
    if (def.type === 'object' && isObject(data))
      return yield* findFieldIssues(def.shape, data, place);
  }
  yield;
  yield* findValueIssues(schema, data, path);
}

/** Whether a record contains no other values, of which there may be many. */
function isFlat(record: unknown): boolean {
  return isObject(record) && Object.values(record).every((value) => typeof value !== 'object');
}

function isValid(schema: z.core.$ZodType, value: unknown): boolean {
  return (schema as z.ZodMiniType).safeParse(value).success;
}

function* findFieldIssues(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  data: Readonly<Record<string, unknown>>,
  { path, strict }: Place,
): Generator<Issue | undefined> {
  yield;
  let missing: string | undefined;
  for (const [key, field] of Object.entries(shape)) {
    const value = data[key];
    if (value === undefined && isOptional(field)) continue;
    if (value === undefined && !strict) missing ??= key;
    else if (typeof value === 'object')
      yield* findIssues(field, value, { path: [...path, key], strict });
    else if (!isValid(field, value)) yield* findValueIssues(field, value, [...path, key]);
  }
  if (missing !== undefined) yield { path: [...path, missing] };
}

function* findValueIssues(
  schema: z.core.$ZodType,
  data: unknown,
  path: Path,
): Generator<Issue | undefined> {
  // Millions of values may be missing, and each zod error is slow to create.
  if (data === undefined) {
    if (!isOptional(schema)) yield { path };
    return;
  }
  for (const issue of (schema as z.ZodMiniType).safeParse(data).error?.issues ?? [])
    yield { path: [...path, ...issue.path] };
}

const optionalSchemas = new WeakMap<z.core.$ZodType, boolean>();

function isOptional(schema: z.core.$ZodType): boolean {
  const known = optionalSchemas.get(schema);
  if (known !== undefined) return known;
  const isOmissible = isValid(schema, undefined);
  optionalSchemas.set(schema, isOmissible);
  return isOmissible;
}
