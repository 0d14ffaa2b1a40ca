import type * as z from 'zod';
import type { Operation } from '../catalog/define.ts';
import { SvcError } from '../kernel/errors.ts';
import type { Answer, Client, Reply } from './interface.ts';

/** Fields of `data` that ask for one page; none ask for the first. */
export type PageFields = Readonly<Record<string, unknown>>;

/** A call that answers page by page. */
export interface PagedCall<Data> {
  readonly path: string;
  readonly call: (page: PageFields) => Promise<Reply<Data>>;
  /** What asks for the page after an answer; nothing at the end. */
  readonly next: (answer: Answer<Data>) => PageFields | undefined;
}

/**
 * One answer a page, until the service says there are no more.
 * @throws SvcError `unusable_answer` when the service hands out a cursor a second time: that would never end.
 */
export async function* followPages<Data>({ path, call, next }: PagedCall<Data>): AsyncGenerator<Answer<Data>> {
  const seen = new Set<string>();
  for (let page: PageFields | undefined = {}; page; ) {
    const reply = await call(page);
    if (!reply.sent) return;
    // Read first: a page that cannot be followed is not handed out as if it were the last one.
    page = next(reply);
    yield reply;
    const cursor = JSON.stringify(page);
    if (page && seen.has(cursor)) throw new SvcError('unusable_answer', `${path} answered the same page cursor twice`);
    seen.add(cursor);
  }
}

/** The pages of an operation of the catalog. */
export function pages<Output extends z.ZodType>(
  client: Client,
  operation: Operation<z.ZodObject, Output>,
  input: Readonly<Record<string, unknown>>,
): AsyncGenerator<Answer<z.output<Output>>> {
  return followPages({
    path: operation.path,
    call: (page) => client.call(operation, { ...input, ...page }),
    next: (answer) => nextPage(operation, answer),
  });
}

/** What asks an operation of the catalog for the page after this answer. */
export function nextPage(operation: Operation, answer: Answer<unknown>): PageFields | undefined {
  const cursor = nextCursor(operation, answer);
  return operation.pages && cursor !== undefined ? { [operation.pages.cursorIn]: cursor } : undefined;
}

/**
 * The cursor of the page after this one; `undefined` at the end.
 * @throws SvcError `unusable_answer` when the service says that there is more, and not how to get it
 */
export function nextCursor({ pages: paging, path }: Operation, { result, data }: Answer<unknown>): unknown {
  const cursor = paging?.cursorOut(result, data) || undefined;
  if (cursor === undefined && data !== null && paging?.hasMore?.(data)) throw noCursor(path, paging.cursorIn);
  return cursor;
}

/** The error of an answer that says there are more pages, and names none. */
export function noCursor(path: string, cursor: string): SvcError {
  return new SvcError(
    'unusable_answer',
    `${path} answered that there is more, without the ${cursor} of the next page`,
    {
      hint: 'try again; if it stays, the list cannot be read beyond this page',
    },
  );
}
