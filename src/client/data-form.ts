import type * as z from 'zod';
import { valueAt } from '../kernel/field-path.ts';
import { isObject } from '../kernel/is-object.ts';

type Path = readonly PropertyKey[];

interface Issue {
  readonly path: Path;
}

interface Rules {
  /** Fields that are not there count as well: a service may otherwise leave out what it does not know. */
  readonly strict: boolean;
  /** The data may have millions of parts: it is checked part by part, and no more than the first issue is kept. */
  readonly large: boolean;
}

/**
 * Finds the first part of data that is not as its schema describes it; yields in between, so that a long check can be
 * interrupted. Fields may be missing, but each record has to have at least one to know it by.
 * @returns the path of the part; `undefined` when all of the data is as described
 */
export function* oddPart(data: unknown, schema: z.ZodType, rules: Rules): Generator<undefined, Path | undefined> {
  const issues = rules.large ? issuesOf(schema, data, []) : (schema.safeParse(data).error?.issues ?? []);
  let known: unknown;
  for (const issue of issues) {
    yield;
    if (!issue) continue;
    const { path } = issue;
    if (rules.strict || valueAt(data, path) !== undefined) return path;
    const record = Array.isArray(data) ? valueAt(data, path.slice(0, 1)) : data;
    if (record !== known && !isKnowable(record, Array.isArray(data) ? undefined : schema)) return path;
    known = record;
  }
  return undefined;
}

/** Whether a record has a field at all, or one of those that a schema describes. */
function isKnowable(record: unknown, schema: z.ZodType | undefined): boolean {
  if (!isObject(record)) return false;
  if (!schema) return Object.keys(record).length > 0;
  const { shape } = schema as { readonly shape?: object };
  return Object.keys(shape ?? {}).some((field) => record[field] !== undefined);
}

/** The issues of data, and nothing for each part that has none. Lists, records and objects are taken apart. */
function* issuesOf(schema: z.core.$ZodType, data: unknown, path: Path): Generator<Issue | undefined> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (!def.checks?.length) {
    if (def.type === 'optional' && data === undefined) return;
    if (def.type === 'nullable' && data === null) return;
    if (def.type === 'optional' || def.type === 'nullable') return yield* issuesOf(def.innerType, data, path);
    if (def.type === 'lazy') return yield* issuesOf(def.getter(), data, path);
    if (def.type === 'array' && Array.isArray(data)) {
      for (const [at, item] of data.entries()) yield* issuesOf(def.element, item, [...path, at]);
      return;
    }
    if (def.type === 'record' && isObject(data)) {
      for (const key of Object.keys(data)) yield* issuesOf(def.valueType, data[key], [...path, key]);
      return;
    }
    if (def.type === 'object' && isObject(data)) {
      for (const key of Object.keys(def.shape)) {
        const field = def.shape[key];
        if (field) yield* issuesOf(field, data[key], [...path, key]);
      }
      return;
    }
  }
  yield;
  // Millions of fields may be missing, and each error that says so is slow to make.
  if (data === undefined) {
    if (!mayBeMissing(schema)) yield { path };
    return;
  }
  for (const issue of (schema as z.ZodType).safeParse(data).error?.issues ?? []) {
    yield { path: [...path, ...issue.path] };
  }
}

const optional = new WeakMap<z.core.$ZodType, boolean>();

function mayBeMissing(schema: z.core.$ZodType): boolean {
  const known = optional.get(schema);
  if (known !== undefined) return known;
  const { success } = (schema as z.ZodType).safeParse(undefined);
  optional.set(schema, success);
  return success;
}
