import * as z from 'zod/mini';
import { compileOnReuse } from './compiled-schema.ts';

/** Maximum number of issues to report: an input may have millions. */
const MAX_ISSUES = 100;
const RECORDS_PER_SLICE = 1_000;

export type ValidationResult<Schema extends z.ZodMiniType> =
  | { readonly success: true; readonly data: z.output<Schema> }
  | { readonly success: false; readonly issues: readonly z.core.$ZodIssue[] };

/** Validates like the schema's `safeParse`, but reports at most the first 100 issues. */
export function validateBounded<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): ValidationResult<Schema> {
  const outcome = compileOnReuse(schema)._zod.run({ value, issues: [] }, { async: false });
  if (outcome instanceof Promise)
    throw new TypeError('catalog schemas must validate synchronously');
  if (outcome.issues.length === 0)
    return { success: true, data: outcome.value as z.output<Schema> };
  const issues = outcome.issues.slice(0, MAX_ISSUES);
  return {
    success: false,
    issues: issues.map((issue) => z.util.finalizeIssue(issue, {}, z.config())),
  };
}

/**
 * Validates arrays slice by slice, with a `pause` between slices.
 * @returns the issues of the first slice that has any
 */
export async function findRecordIssues(
  schema: z.ZodMiniType,
  value: unknown,
  pause: () => Promise<void>,
) {
  if (typeof value !== 'object' || value === null) return [];
  for (const [field, list] of Object.entries(value)) {
    if (!Array.isArray(list)) continue;
    for (
      let first = 0;
      first < list.length && list.length > RECORDS_PER_SLICE;
      first += RECORDS_PER_SLICE
    ) {
      const part = validateBounded(schema, {
        ...value,
        [field]: list.slice(first, first + RECORDS_PER_SLICE),
      });
      const issues = part.success
        ? []
        : part.issues.flatMap((issue) => relocateIssue(issue, field, first));
      if (issues.length > 0) return issues;
      await pause();
    }
  }
  return [];
}

function relocateIssue(
  issue: z.core.$ZodIssue,
  field: string,
  first: number,
): readonly z.core.$ZodIssue[] {
  const [list, index, ...inner] = issue.path;
  return list === field && typeof index === 'number'
    ? [{ ...issue, path: [list, first + index, ...inner] }]
    : [];
}
