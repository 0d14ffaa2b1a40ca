import { hint, SvcError, step } from '../../kernel/errors.ts';
import type { Format } from '../../output/format.ts';
import { describeMore } from '../../output/list-selection.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { clearEntries, type HistoryEntry, readEntries } from '../history-log.ts';
import { needsAll } from '../list-flags.ts';
import { parseSinceFlag } from '../options.ts';
import { canAsk } from '../terminal/terminal.ts';
import { watchRecords } from '../terminal/watch-records.ts';
import { DEFAULT_LIMIT, HISTORY_COLUMNS } from './columns.ts';

type Options = Readonly<{ since?: string | undefined; watch?: boolean | undefined }>;

export async function historyCommand(
  context: Context,
  { arguments: [word], options: { since: sinceText, watch } }: Invocation<Options>,
): Promise<void> {
  if (word === 'clear') return clearHistory(context);
  if (word !== undefined)
    throw new SvcError('usage', `the argument must be 'clear', got '${word}'`, {
      hint: hint`to list the history, run ${step('list', 'history')}; to delete it, run ${step('change', 'history', 'clear')}`,
    });
  const since = parseSinceFlag(sinceText, context.clock.now()) ?? 0;
  const read = async () =>
    (await readEntries(context.folders)).filter(({ at }) => Date.parse(at) >= since);
  if (watch) return watchHistory(context, read);
  const printer = await context.printer();
  const entries = await read();
  const isTable = TABLE_FORMATS.includes(await context.format());
  const shown = selectLatest(context, entries);
  await printer.value(isTable ? shown.toReversed() : shown, {
    columns: HISTORY_COLUMNS,
    defaultLimit: DEFAULT_LIMIT,
  });
  if (entries.length === 0)
    await context.note(
      'no commands in this period; the history only contains commands that write to a service or save the data of a person',
    );
  else if (shown.length < entries.length) await context.note(describeMore(shown.length));
}

/** Formats for people, which show the newest command first. */
const TABLE_FORMATS: readonly Format[] = ['table', 'markdown'];

/** Returns the latest entries, or all of them if the printer sorts them. */
function selectLatest(
  { options: { list } }: Context,
  entries: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  return list && needsAll(list) ? entries : entries.slice(-(list?.limit ?? DEFAULT_LIMIT));
}

/** Prints the latest commands, oldest first, and then each new one. */
async function watchHistory(
  context: Context,
  read: () => Promise<readonly HistoryEntry[]>,
): Promise<void> {
  let shown = 0;
  await watchRecords(context, {
    read: async () => {
      const entries = await read();
      const latest = shown === 0 ? selectLatest(context, entries) : entries.slice(shown);
      shown = entries.length;
      return latest;
    },
    idOf: ({ at, command }) => `${at} ${command}`,
    shapeOf: () => ({ columns: HISTORY_COLUMNS }),
  });
}

async function clearHistory(context: Context): Promise<void> {
  if (canAsk(context)) await context.confirm('Delete the whole history?', 'this machine');
  await clearEntries(context.folders);
  await context.note('Deleted the history');
}
