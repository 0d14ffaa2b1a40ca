import type { BulkSummary } from '../../bulk/summary.ts';
import type { Column } from '../../catalog/define.ts';
import { amount, grouped } from '../../kernel/plural.ts';
import { safeText } from '../../kernel/safe-text.ts';
import { elapsed } from '../../output/quantities.ts';
import { onePage } from '../../output/renderer.ts';
import type { Counts } from '../activity.ts';
import type { Context } from '../context.ts';

/** Failures that a terminal is shown; the other formats hold more. */
const SHOWN_FAILURES = 10;

const FILE_COLUMN: Column = { header: 'FILE', field: 'file' };
const FAILURE_COLUMNS: readonly Column[] = [
  { header: 'LINE', field: 'line' },
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'MESSAGE', field: 'message' },
  { header: 'CODE', field: 'code' },
];

/** Prints what became of a job: the summary itself for scripts, and in words for people. */
export async function showSummary(context: Context, noun: string, summary: BulkSummary): Promise<void> {
  context.activity.counts = countsOf(summary);
  const printer = await context.printer();
  if ((await context.format()) !== 'table' || context.options.fields) return printer.value(summary, {});
  const { stdout } = context.io;
  await stdout.write(`${inWords(noun, summary)}\n`);
  const shown = summary.failures.slice(0, SHOWN_FAILURES);
  const columns = shown.some(({ file }) => file !== undefined) ? [FILE_COLUMN, ...FAILURE_COLUMNS] : FAILURE_COLUMNS;
  if (shown.length > 0) await printer.records(onePage(shown), { columns });
  const hidden = summary.failed + summary.unknown - shown.length;
  if (hidden > 0) await stdout.write(`and ${grouped(hidden)} more\n`);
  if (summary.rejects) await stdout.write(`rejects: ${safeText(summary.rejects)}\n`);
}

function countsOf({ total, succeeded, failed, unknown, skipped }: BulkSummary): Counts {
  return { total, succeeded, failed, unknown, skipped };
}

/** `10 users: 9 succeeded, 1 failed (1 request, 0.2 s)` */
function inWords(noun: string, { total, requests, seconds, ...summary }: BulkSummary): string {
  const counts = (['succeeded', 'failed', 'unknown', 'skipped'] as const)
    .filter((status) => status === 'succeeded' || summary[status] > 0)
    .map((status) => `${grouped(summary[status])} ${status}`);
  return `${amount(total, noun)}: ${counts.join(', ')} (${amount(requests, 'request')}, ${timeTaken(seconds)})`;
}

function timeTaken(seconds: number): string {
  return seconds < 10 ? `${seconds.toFixed(1)} s` : elapsed(seconds);
}
