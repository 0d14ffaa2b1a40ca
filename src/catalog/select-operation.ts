import type { Operation } from './define.ts';

/**
 * Selects the operation whose `selectedBy` field is present in `data`, otherwise the one without
 * `selectedBy`.
 */
export function selectOperation<Candidate extends { readonly selectedBy?: string | undefined }>(
  candidates: readonly Candidate[],
  data: unknown,
): Candidate | undefined {
  const hasField = (field: string) =>
    typeof data === 'object' && data !== null && Object.hasOwn(data, field);
  return (
    candidates.find(({ selectedBy }) => selectedBy !== undefined && hasField(selectedBy)) ??
    candidates.find(({ selectedBy }) => selectedBy === undefined)
  );
}

/** Converts data that was sent to an older path of an operation. */
export function convertData({ aliases }: Operation, path: string, data: unknown): unknown {
  const convert = aliases?.find((alias) => alias.path === path)?.convert;
  return convert ? convert(data) : data;
}
