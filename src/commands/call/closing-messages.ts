import { formatCommand } from '../../catalog/command-text.ts';
import type { Operation } from '../../catalog/define.ts';
import { flagName } from '../../catalog/flags.ts';
import { manifest } from '../../catalog/manifest.ts';
import { isObject } from '../../kernel/is-object.ts';
import { groupDigits } from '../../kernel/plural.ts';
import type { Context } from '../context.ts';
import { programCommand } from '../service-flags.ts';

/** Messages about a result, which are printed after it. */
export class ClosingMessages {
  readonly #context: Context;
  readonly #operation: Operation;
  #shown = 0;
  #cursor: unknown;
  #others: (() => Promise<void>) | undefined;

  constructor(context: Context, operation: Operation) {
    this.#context = context;
    this.#operation = operation;
  }

  /** Counts the records of a page. */
  countPage(data: unknown): void {
    const { records } = this.#operation;
    const lists = records === undefined && isObject(data) ? Object.values(data) : [listOf(this.#operation, data)];
    for (const list of lists) if (Array.isArray(list)) this.#shown += list.length;
  }

  /** Remembers that there are more pages, starting at the cursor. */
  setNextPage(cursor: unknown): void {
    this.#cursor = cursor;
  }

  /** Remembers which requested records are missing, or whether the list is empty. */
  setFound(missing: readonly unknown[], input: Readonly<Record<string, unknown>> | undefined): void {
    if (missing.length > 0) this.#others = () => this.#context.warn(`not found: ${missing.join(', ')}`);
    else if (this.#shown === 0) this.#others = () => noteNoRecords(this.#context, this.#operation, input);
  }

  async print(): Promise<void> {
    await this.#others?.();
    if (this.#cursor === undefined) return;
    const field = this.#operation.pages?.cursorIn ?? '';
    const next =
      this.#context.inputNaming === 'flags'
        ? `--all for the rest, or --${flagName(field)} ${String(this.#cursor)} for the next page`
        : `continue with ${field} ${String(this.#cursor)}`;
    await this.#context.note(`more results: ${groupDigits(this.#shown)} shown; ${next}`);
  }
}

/** The list of records in the data of a list command. */
export function listOf({ records }: Operation, data: unknown): unknown {
  return records === undefined ? data : isObject(data) ? data[records] : undefined;
}

/** Prints `no results`, with the command that adds some if there is one: `svc documents add --org acme …`. */
export async function noteNoRecords(
  context: Context,
  { addedBy }: Operation,
  { organizationId }: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const adder = manifest.find(({ name }) => name === addedBy);
  const suggestion =
    adder && `; add some with: ${formatCommand(adder, { organizationId }, programCommand(context.options))} …`;
  await context.note(`no results${suggestion ?? ''}`);
}
