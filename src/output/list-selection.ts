import type { Column } from '../catalog/define.ts';
import { once } from '../kernel/once.ts';
import { groupDigits } from '../kernel/plural.ts';
import { fieldAt, requireFields, resolveFields } from './field-selection.ts';

export interface SortKey {
  /** JSON name or table header, in any case. */
  readonly field: string;
  readonly isDescending: boolean;
}

/** Order and number of the records of a list to print. */
export interface ListSelection {
  readonly sort?: SortKey;
  readonly limit?: number;
  /** Whether to ignore the default limit of the list. */
  readonly all?: boolean;
}

/** The first collator of a process takes 7 ms to create. */
const getCollator = once(() => new Intl.Collator('en', { numeric: true }));

/**
 * Sorts records by a field. Records with equal values keep their order, and records without a value
 * come last.
 * @param keyed records in the same order that have the fields to sort by
 * @throws SvcError `usage` if no record has the field
 */
export function sortRecords(
  records: readonly unknown[],
  keyed: readonly unknown[],
  { field: name, isDescending }: SortKey,
  columns: readonly Column[] = [],
): readonly unknown[] {
  if (records.length === 0) return records;
  const fields = resolveFields([name], keyed, columns);
  requireFields('--sort', fields, keyed, columns);
  const [field = ''] = fields;
  const sign = isDescending ? -1 : 1;
  return records
    .map((record, at) => ({ record, value: fieldAt(keyed[at], field) ?? undefined }))
    .sort(({ value: a }, { value: b }) => {
      if (a === undefined || b === undefined)
        return Number(a === undefined) - Number(b === undefined);
      return sign * compareValues(a, b);
    })
    .map(({ record }) => record);
}

/** Compares numbers and booleans by value, lists by length, and other values as text. */
function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return a.length - b.length;
  return getCollator().compare(textOf(a), textOf(b));
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Yields pages up to a number of records, and reports whether it left records out. */
export async function* limitPages(
  pages: AsyncIterable<readonly unknown[]>,
  limit: number,
  onCut: () => void,
): AsyncGenerator<readonly unknown[]> {
  let left = limit;
  for await (const page of pages) {
    if (page.length > left) onCut();
    yield page.slice(0, left);
    left -= Math.min(left, page.length);
    if (left === 0) return;
  }
}

/** Describes a list that was cut after a number of records. */
export function describeMore(shown: number): string {
  return `more results: ${groupDigits(shown)} shown; to show all, add --all`;
}
