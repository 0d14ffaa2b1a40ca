import type { RequestRecord } from '../../src/catalog/local/answers.ts';

/** Requests that differ only in their organization and data, newest first. */
export interface RequestGroup {
  readonly newest: RequestRecord;
  readonly requests: readonly RequestRecord[];
}

/** Number of equal requests in a row from which they are folded into one. */
const MIN_FOLDED = 4;

/**
 * Folds requests in a row with the same operation and outcome. A group that contains the open
 * request stays unfolded.
 */
export function foldRequests(
  requests: readonly RequestRecord[],
  open: number | undefined,
): readonly RequestGroup[] {
  const runs: RequestRecord[][] = [];
  for (const request of requests) {
    const run = runs.at(-1);
    if (run?.[0] && keyOf(run[0]) === keyOf(request)) run.push(request);
    else runs.push([request]);
  }
  return runs.flatMap((run) => {
    const [newest] = run;
    const isFolded = run.length >= MIN_FOLDED && !run.some(({ id }) => id === open);
    if (newest && isFolded) return [{ newest, requests: run }];
    return run.map((request) => ({ newest: request, requests: [request] }));
  });
}

function keyOf({ operation, path, status, error, fault }: RequestRecord): string {
  return JSON.stringify([operation ?? path, status, error, fault]);
}

export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
