import type { BulkSummary, FailureLine, SharedReason } from '../../bulk/summary.ts';
import type { Column } from '../../catalog/define.ts';
import { formatOperation } from '../../catalog/operation-name.ts';
import { hint, step } from '../../kernel/errors.ts';
import { upperFirst } from '../../kernel/first-letter.ts';
import { formatNounCount, groupDigits } from '../../kernel/plural.ts';
import { escapeMarkdown, formatMarkdownTable } from '../../output/markdown.ts';
import { formatMessage } from '../../output/message-text.ts';
import { formatElapsed } from '../../output/quantities.ts';
import { singlePage } from '../../output/renderer.ts';
import { nameProfile } from '../connection/protected-profile.ts';
import type { Context, OutputParts } from '../context.ts';
import { formatOrganizations, hasMissingRecords, isWorthShowing } from '../format-organizations.ts';
import { describeWrite, type RecordWrite } from './record-write.ts';

const MAX_SHOWN_FAILURES = 10;
/** Number of records above which the summary names the page about the job. */
const MIN_RECORDS_FOR_PAGE = 1_000;

const FAILURE_COLUMNS = [
  { header: 'FILE', field: 'file' },
  { header: 'LINE', field: 'line' },
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'MESSAGE', field: 'message' },
  { header: 'CODE', field: 'code' },
] as const satisfies readonly Column[];

/** @param name adds the target to the result (default: if a `.svc.json` chose it) */
export async function printSummary(
  context: Context,
  noun: string,
  summary: BulkSummary,
  single?: RecordWrite,
  name = (result: string) => nameProfile(context, result),
): Promise<void> {
  const { total, succeeded, failed, unknown, skipped } = summary;
  context.activity.counts = { total, succeeded, failed, unknown, skipped };
  const printer = await context.printer();
  if ((await context.format()) !== 'table' || context.options.fields)
    return printer.value(summary, {});
  const { stdout } = context.io;
  if (single) {
    if (succeeded + (summary.existing ?? 0) > 0)
      await stdout.write(await formatMessage(await name(describeWrite(single, summary)), stdout));
    return;
  }
  await stdout.write(await formatMessage(await name(summaryText(noun, summary)), stdout));
  await printFailures(context, summary);
  if (summary.rejects)
    await stdout.write(await formatMessage(`rejects: ${summary.rejects}`, stdout));
  const { organizations = [] } = summary;
  if (isWorthShowing(organizations)) {
    const counts = formatOrganizations(organizations, hasMissingRecords(summary));
    await stdout.write(await formatMessage(counts, stdout));
  }
  if (total > MIN_RECORDS_FOR_PAGE && summary.job && stdout.isTerminal)
    await context.note(
      hint`for a page about this job, run ${step('inspect', 'jobs', 'show', summary.job, '--html')}`,
    );
}

export async function printFailures(
  { io: { stdout }, printer }: OutputParts,
  { failures, failed, unknown, sharedReason }: BulkSummary,
): Promise<void> {
  const total = failed + unknown;
  if (sharedReason && total > MAX_SHOWN_FAILURES)
    return stdout.write(await formatMessage(describeSharedReason(sharedReason, total), stdout));
  const shown = failures.slice(0, MAX_SHOWN_FAILURES);
  const columns = FAILURE_COLUMNS.filter(({ field }) =>
    shown.some((failure) => (failure[field] ?? null) !== null),
  );
  if (shown.length > 0) await (await printer()).records(singlePage(shown), { columns });
  const hidden = total - shown.length;
  if (hidden > 0) await stdout.write(`and ${groupDigits(hidden)} more\n`);
}

/**
 * Describes many failures with the same reason in one line: `201 × At most 30 users
 * (resource_exhausted), lines 800 to 1,000`.
 */
function describeSharedReason(
  { message, code, file, firstLine, lastLine }: SharedReason,
  total: number,
): string {
  const place = file === undefined ? '' : `${file}: `;
  const lines =
    firstLine === null || lastLine === null
      ? ''
      : `, ${place}lines ${groupDigits(firstLine)} to ${groupDigits(lastLine)}`;
  const ending = code === null ? '' : ` (${code})`;
  return `${groupDigits(total)} × ${message ?? 'no reason given'}${ending}${lines}`;
}

const EFFECTS = ['created', 'updated', 'unchanged'] as const;

/**
 * Returns `10 users: 9 succeeded, 1 failed (1 request, 0.2 s)`, with effects such as `1 created` if
 * they are known.
 */
function summaryText(noun: string, { total, requests, seconds, ...summary }: BulkSummary): string {
  const successes = summary.created === undefined ? (['succeeded'] as const) : EFFECTS;
  const { existing = 0 } = summary;
  const unsent = summary.skipped - existing;
  const counts = [
    ...([...successes, 'failed', 'unknown'] as const).map(
      (name) => [name, summary[name] ?? 0] as const,
    ),
    ['skipped', existing] as const,
    ['not sent', unsent] as const,
  ]
    .filter(([, count], at) => at === 0 || count > 0)
    .map(([name, count]) => `${groupDigits(count)} ${name}`);
  return `${formatNounCount(total, noun)}: ${counts.join(', ')} (${formatNounCount(requests, 'request')}, ${formatElapsed(seconds)})`;
}

/** Number of failures in the step summary of GitHub Actions. */
const MAX_STEP_FAILURES = 20;

/** Renders the summary of a job as Markdown. */
export function renderStepSummary(noun: string, summary: BulkSummary): string {
  const { operation, job, total, failed, unknown, failures, rejects, organizations = [] } = summary;
  const shown = failures.slice(0, MAX_STEP_FAILURES);
  const more = failed + unknown - shown.length;
  const hasFiles = shown.some(({ file }) => file !== undefined);
  const effects = (['created', 'updated', 'unchanged'] as const).filter(
    (name) => summary[name] !== undefined,
  );
  const { existing = 0 } = summary;
  const counts = [
    ...(['succeeded', ...effects, 'failed', 'unknown'] as const).map(
      (name) => [name, summary[name] ?? 0] as const,
    ),
    ...(existing > 0 ? [['skipped', existing] as const] : []),
    ['not sent', summary.skipped - existing] as const,
    ['requests', summary.requests] as const,
    ['retries', summary.retries] as const,
  ];
  return [
    `### svc ${formatOperation(operation)}: ${formatNounCount(total, noun)}\n`,
    formatMarkdownTable([...counts.map(([name]) => name), 'time'].map(upperFirst), [
      [...counts.map(([, count]) => groupDigits(count)), formatElapsed(summary.seconds)],
    ]),
    ...(shown.length > 0 ? [failureTable(shown, hasFiles)] : []),
    ...(more > 0 ? [`and ${groupDigits(more)} more\n`] : []),
    ...(isWorthShowing(organizations)
      ? [
          `Organizations: ${escapeMarkdown(formatOrganizations(organizations, hasMissingRecords(summary)))}\n`,
        ]
      : []),
    `Job \`${job}\`${rejects === null ? '' : `, rejects: ${escapeMarkdown(rejects)}`}\n`,
  ].join('\n');
}

function failureTable(failures: readonly FailureLine[], hasFiles: boolean): string {
  const rows = failures.map(({ file, line, id, message, code }) =>
    [file, line, id, message, code].map((cell) => escapeMarkdown(String(cell ?? ''))),
  );
  const [head, ...body] = [['File', 'Line', 'ID', 'Message', 'Code'], ...rows].map((row) =>
    row.slice(hasFiles ? 0 : 1),
  );
  return formatMarkdownTable(head ?? [], body);
}
