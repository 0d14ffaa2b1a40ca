import type * as z from 'zod/mini';
import type { Operation } from '../catalog/define.ts';
import { SvcError } from '../kernel/errors.ts';
import type { CallOutcome, CallResult, Client } from './client-types.ts';

export type PageFields = Readonly<Record<string, unknown>>;

export interface PagedCall<Data> {
  readonly path: string;
  readonly call: (page: PageFields) => Promise<CallOutcome<Data>>;
  readonly nextPage: (callResult: CallResult<Data>) => PageFields | undefined;
}

/**
 * @throws SvcError `invalid_response` if the service repeats a cursor, which would cause an endless
 * loop
 */
export async function* followPages<Data>({
  path,
  call,
  nextPage,
}: PagedCall<Data>): AsyncGenerator<CallResult<Data>> {
  const seen = new Set<string>();
  for (let page: PageFields | undefined = {}; page; ) {
    const outcome = await call(page);
    if (!outcome.sent) return;
    // Reads the cursor before yielding: a page with a broken cursor must not look like the last
    // one.
    page = nextPage(outcome);
    yield outcome;
    const cursor = JSON.stringify(page);
    if (page && seen.has(cursor))
      throw new SvcError('invalid_response', `${path} returned the same page cursor twice`);
    seen.add(cursor);
  }
}

export function fetchPages<Output extends z.ZodMiniType>(
  client: Client,
  operation: Operation<z.ZodMiniObject, Output>,
  input: Readonly<Record<string, unknown>>,
): AsyncGenerator<CallResult<z.output<Output>>> {
  return followPages({
    path: operation.path,
    call: (page) => client.call(operation, { ...input, ...page }),
    nextPage: (callResult) => nextPageFields(operation, callResult),
  });
}

export function nextPageFields(
  operation: Operation,
  callResult: CallResult<unknown>,
): PageFields | undefined {
  const cursor = nextCursorOf(operation, callResult);
  return operation.pages && cursor !== undefined
    ? { [operation.pages.cursorIn]: cursor }
    : undefined;
}

/**
 * @throws SvcError `invalid_response` if the service reports more pages but sends no cursor, and
 * like `requireCursor`
 */
export function nextCursorOf(
  { pages: paging, path }: Operation,
  { result, data }: CallResult<unknown>,
): unknown {
  const cursor = paging?.cursorOut(result, data) || undefined;
  if (cursor === undefined && data !== null && paging?.hasMore?.(data))
    throw createMissingCursorError(path, paging.cursorIn);
  return cursor === undefined ? undefined : requireCursor(path, cursor);
}

/** @throws SvcError `invalid_response` if the cursor is neither text nor a number */
export function requireCursor(path: string, cursor: unknown): string | number {
  if (typeof cursor === 'string' || typeof cursor === 'number') return cursor;
  throw new SvcError('invalid_response', `${path} returned an invalid page cursor`);
}

export function createMissingCursorError(path: string, cursor: string): SvcError {
  return new SvcError(
    'invalid_response',
    `${path} reported more pages, but returned no ${cursor}`,
    {
      hint: 'try again; if the error persists, the list cannot be read beyond this page',
    },
  );
}
