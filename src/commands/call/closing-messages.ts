import { commandArguments } from '../../catalog/command-text.ts';
import type { Operation } from '../../catalog/define.ts';
import { flagName } from '../../catalog/flags.ts';
import { manifest } from '../../catalog/manifest.ts';
import { hint, stepWithPlaceholder } from '../../kernel/errors.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { isObject } from '../../kernel/json.ts';
import { groupDigits } from '../../kernel/plural.ts';
import { isForbidden } from '../connection/protections.ts';
import type { Context } from '../context.ts';

export function createClosingMessages(context: Context, operation: Operation) {
  let shown = 0;
  let nextCursor: unknown;
  let printFoundMessage: (() => Promise<void>) | undefined;
  return {
    countPage(data: unknown): void {
      const lists =
        operation.records === undefined && isObject(data)
          ? Object.values(data)
          : [listOf(operation, data)];
      for (const list of lists) if (Array.isArray(list)) shown += list.length;
    },
    countFound: () => shown,
    setNextPage(cursor: unknown): void {
      nextCursor = cursor;
    },
    /**
     * Records the missing IDs of a request. If none are missing, an empty list causes a message.
     */
    setFound(
      missing: readonly unknown[],
      input: Readonly<Record<string, unknown>> | undefined,
    ): void {
      if (missing.length > 0)
        printFoundMessage = () => context.warn(`not found: ${missing.join(', ')}`);
      else if (shown === 0) printFoundMessage = () => printNoRecords(context, operation, input);
    },
    async print(): Promise<void> {
      await printFoundMessage?.();
      if (nextCursor === undefined) return;
      const field = operation.pages?.cursorIn ?? '';
      const next =
        context.inputNaming === 'flags'
          ? `--all for the rest, or --${flagName(field)} ${String(nextCursor)} for the next page`
          : `continue with ${field} ${String(nextCursor)}`;
      await context.note(`more results: ${groupDigits(shown)} shown; ${next}`);
    },
  };
}

export function listOf({ records }: Operation, data: unknown): unknown {
  return records === undefined ? data : isObject(data) ? data[records] : undefined;
}

/**
 * Prints that a list is empty. A remote service returns an empty list for an unknown organization
 * too, so the message then suggests no command that would create it.
 */
export async function printNoRecords(
  context: Context,
  { addedBy, command, pages }: Operation,
  input: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { organizationId, ...others } = input;
  if (typeof organizationId === 'string' && !context.options.local) {
    const noun = command[1] === 'list' ? command[0] : 'results';
    const isFiltered = Object.keys(others).some(
      (name) => name !== pages?.cursorIn && name !== 'pageSize',
    );
    await context.note(
      `no ${isFiltered ? 'matching ' : ''}${noun} in organization ${quoteId(String(organizationId))} (or it does not exist)`,
    );
    return;
  }
  const adder = manifest.find(({ name }) => name === addedBy);
  const adding =
    adder && stepWithPlaceholder('change', commandArguments(adder, { organizationId }), '…');
  const message = adding && hint`no results; to add some, run ${adding}`;
  await context.note(message && !(await isForbidden(context, message)) ? message : 'no results');
}
