import { SvcError } from '../../kernel/errors.ts';
import type { ResultShape } from '../../output/printer.ts';
import type { Context } from '../context.ts';

/** A list to watch. */
export interface WatchedList<Item extends object> {
  /** Reads the current records. */
  readonly read: () => Promise<readonly Item[]>;
  /** Identifies a record across readings. */
  readonly idOf: (record: Item) => string;
  /** Describes how to print records. Called without records for formats other than tables. */
  readonly shapeOf: (records: readonly Item[]) => ResultShape;
  /** Whether no further change is expected (default: never). */
  readonly isFinal?: (records: readonly Item[]) => boolean;
}

/** Polling interval, in milliseconds. */
const READ_INTERVAL = 1_000;

/**
 * Prints the records of a list, and then each new or changed record, until a signal arrives or the
 * list is final. `read` applies the limit of the list.
 * @throws SvcError `usage` with `--sort`, because later records would need an earlier place
 */
export async function watchRecords<Item extends object>(
  context: Context,
  list: WatchedList<Item>,
): Promise<void> {
  const { list: selection, ...others } = context.options;
  if (selection?.sort) throw new SvcError('usage', '--watch and --sort cannot be combined');
  const pages = readChanges(context, list);
  let options = { ...others, pager: false };
  if ((await context.format()) !== 'table') {
    const { context: opened, close } = context.reopen({ options });
    return (await opened.printer()).records(pages, list.shapeOf([])).finally(close);
  }
  for await (const records of pages) {
    // A table is printed at its end, so each change gets its own.
    const { context: opened, close } = context.reopen({ options });
    const printer = await opened.printer();
    await printer.value(records, list.shapeOf(records)).finally(close);
    options = { ...options, quiet: true };
  }
}

async function* readChanges<Item extends object>(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  { read, idOf, isFinal = () => false }: WatchedList<Item>,
): AsyncGenerator<readonly Item[]> {
  const known = new Map<string, string>();
  for (;;) {
    const records = await read();
    const changed = records.filter((record) => known.get(idOf(record)) !== JSON.stringify(record));
    for (const record of changed) known.set(idOf(record), JSON.stringify(record));
    if (changed.length > 0) yield changed;
    if (isFinal(records)) return;
    await clock.sleep(READ_INTERVAL, signal);
  }
}
