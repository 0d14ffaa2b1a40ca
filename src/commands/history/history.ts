import { SvcError } from '../../kernel/errors.ts';
import { parseSince } from '../../kernel/moment.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { textValue, wholeNumber } from '../option-values.ts';
import { canAsk } from '../terminal/terminal.ts';
import { clearEntries, readEntries } from './log.ts';

const COLUMNS = [
  { header: 'AT', field: 'at', kind: 'time' },
  { header: 'PROFILE', field: 'profile' },
  { header: 'HOST', field: 'host' },
  { header: 'COMMAND', field: 'command' },
  { header: 'IDS', field: 'ids' },
  { header: 'OUTCOME', field: 'outcome', kind: 'state' },
  { header: 'EXIT', field: 'exitCode' },
  { header: 'SECONDS', field: 'seconds' },
] as const;

const LIMIT = 50;

/** What of the history is shown. */
export interface HistoryOptions {
  readonly limit: number;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export async function historyCommand(context: Context, { arguments: [word], options }: Invocation): Promise<void> {
  if (word === 'clear') return clearHistory(context);
  if (word !== undefined)
    throw new SvcError('usage', `'${word}' is nothing to do with a history`, { hint: "say 'clear', or nothing" });
  await showHistory(context, {
    limit: wholeNumber('--limit', textValue(options, 'limit'), 1) ?? LIMIT,
    since: sinceOf(textValue(options, 'since'), context.clock.now()),
  });
}

/** Prints the last runs, the latest at the end. */
export async function showHistory(context: Context, { limit, since }: HistoryOptions): Promise<void> {
  const printer = await context.printer();
  const entries = (await readEntries(context.folders)).filter(({ at }) => Date.parse(at) >= since);
  await printer.value(entries.slice(-limit), { columns: COLUMNS });
  if (entries.length === 0)
    await context.note('no run is in the history; each run that writes to a service leaves a line');
  else if (entries.length > limit) await context.note(`the last ${limit} of ${entries.length}: --limit shows more`);
}

/** The history is the user's own, so a script may remove it unasked; on a terminal it is asked about. */
async function clearHistory(context: Context): Promise<void> {
  if (canAsk(context)) await context.confirm('Remove the whole history?', 'this machine');
  await clearEntries(context.folders);
  await context.note('the history is empty');
}

function sinceOf(text: string | undefined, now: number): number {
  if (text === undefined) return 0;
  const since = parseSince(text, now);
  if (since !== undefined) return since;
  throw new SvcError('usage', `--since: '${text}' is neither a duration nor a time`, {
    hint: 'write it like 2h, 7d or 2026-03-01T12:00:00Z',
  });
}
