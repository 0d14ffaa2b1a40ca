import { hint, SvcError, step } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { parseSinceFlag, parseWholeNumber } from '../options.ts';
import { canAsk } from '../terminal/terminal.ts';
import { HISTORY_COLUMNS } from './columns.ts';
import { clearEntries, readEntries } from './log.ts';

const DEFAULT_LIMIT = 50;

export async function historyCommand(
  context: Context,
  {
    arguments: [word],
    options,
  }: Invocation<{ readonly [Name in 'limit' | 'since']?: string | undefined }>,
): Promise<void> {
  if (word === 'clear') return clearHistory(context);
  if (word !== undefined)
    throw new SvcError('usage', `the argument must be 'clear', got '${word}'`, {
      hint: hint`to list the history, run ${step('list', 'history')}; to delete it, run ${step('change', 'history', 'clear')}`,
    });
  const limit = parseWholeNumber('--limit', options.limit, 1) ?? DEFAULT_LIMIT;
  const since = parseSinceFlag(options.since, context.clock.now()) ?? 0;
  const printer = await context.printer();
  const entries = (await readEntries(context.folders)).filter(({ at }) => Date.parse(at) >= since);
  await printer.value(entries.slice(-limit), { columns: HISTORY_COLUMNS });
  if (entries.length === 0)
    await context.note(
      'no commands in this period; the history only contains commands that write to a service',
    );
  else if (entries.length > limit)
    await context.note(
      `showing the last ${limit} of ${entries.length} commands; to show more, add --limit`,
    );
}

async function clearHistory(context: Context): Promise<void> {
  if (canAsk(context)) await context.confirm('Delete the whole history?', 'this machine');
  await clearEntries(context.folders);
  await context.note('deleted the history');
}
