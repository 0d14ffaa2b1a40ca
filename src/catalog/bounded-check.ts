import * as z from 'zod';

/** Issues that are put into words: an input may have millions. */
const MOST_ISSUES = 100;
/** Records that are checked before others get their turn. */
const RECORDS_AT_ONCE = 1_000;

export type Checked<Schema extends z.ZodType> =
  | { readonly success: true; readonly data: z.output<Schema> }
  | { readonly success: false; readonly issues: readonly z.core.$ZodIssue[] };

/** As the schema's `safeParse`, with the first hundred issues only. */
export function checkBounded<Schema extends z.ZodType>(schema: Schema, value: unknown): Checked<Schema> {
  const outcome = schema._zod.run({ value, issues: [] }, { async: false });
  if (outcome instanceof Promise) throw new TypeError('a schema of the catalog checks at once');
  if (outcome.issues.length === 0) return { success: true, data: outcome.value as z.output<Schema> };
  const issues = outcome.issues.slice(0, MOST_ISSUES);
  return { success: false, issues: issues.map((issue) => z.core.util.finalizeIssue(issue, {}, z.core.config())) };
}

/**
 * Looks for records that are not valid in the lists of an input, a part of a list at a time.
 * @param rest called between two parts
 * @returns the issues of the first part that has any; `checkBounded` finds the other ones
 */
export async function recordIssues(
  schema: z.ZodType,
  value: unknown,
  rest: () => Promise<void>,
): Promise<readonly z.core.$ZodIssue[]> {
  if (typeof value !== 'object' || value === null) return [];
  for (const [field, list] of Object.entries(value)) {
    if (!Array.isArray(list)) continue;
    for (let first = 0; first < list.length && list.length > RECORDS_AT_ONCE; first += RECORDS_AT_ONCE) {
      const part = checkBounded(schema, { ...value, [field]: list.slice(first, first + RECORDS_AT_ONCE) });
      const issues = part.success ? [] : part.issues.flatMap((issue) => ofRecord(issue, field, first));
      if (issues.length > 0) return issues;
      await rest();
    }
  }
  return [];
}

/** An issue of a part of a list as one of the whole list, if it is one of a record. */
function ofRecord(issue: z.core.$ZodIssue, field: string, first: number): readonly z.core.$ZodIssue[] {
  const [list, index, ...inner] = issue.path;
  return list === field && typeof index === 'number' ? [{ ...issue, path: [list, first + index, ...inner] }] : [];
}
