import type * as z from 'zod';
import type { Operation } from '../catalog/define.ts';
import { SvcError } from '../kernel/errors.ts';
import type { Answer, Client } from './client.ts';

/**
 * The pages of an operation, one answer each, until the service says there are no more.
 * @throws SvcError `unusable_answer` when the service hands out a cursor a second time: that would never end.
 */
export async function* pages<Output extends z.ZodType>(
  client: Client,
  operation: Operation<z.ZodObject, Output>,
  input: Readonly<Record<string, unknown>>,
): AsyncGenerator<Answer<z.output<Output>>> {
  const seen = new Set<unknown>();
  let cursor: unknown;
  do {
    const reply = await client.call(operation, pageInput(operation, input, cursor));
    if (!reply.sent) return;
    yield reply;
    cursor = nextCursor(operation, reply);
    if (seen.has(cursor)) {
      throw new SvcError('unusable_answer', `${operation.path} answered the same page cursor twice`);
    }
    seen.add(cursor);
  } while (cursor !== undefined);
}

/** The cursor of the page after this one; `undefined` at the end. */
export function nextCursor({ pages: paging }: Operation, { result, data }: Answer<unknown>): unknown {
  return paging?.cursorOut(result, data) || undefined;
}

function pageInput(operation: Operation, input: Readonly<Record<string, unknown>>, cursor: unknown) {
  return operation.pages && cursor !== undefined ? { ...input, [operation.pages.cursorIn]: cursor } : input;
}
