import type { BulkSummary, FailureLine } from '../../bulk/summary.ts';
import { formatOperation } from '../../catalog/operation-name.ts';
import { upperFirst } from '../../kernel/first-letter.ts';
import { formatNounCount, groupDigits } from '../../kernel/plural.ts';
import { escapeMarkdown, formatMarkdownTable } from '../../output/markdown.ts';
import { formatElapsed } from '../../output/quantities.ts';
import { formatOrganizations, hasMissingRecords, isWorthShowing } from '../format-organizations.ts';

const MAX_SHOWN_FAILURES = 20;

/** Renders the summary of a job as Markdown. */
export function renderStepSummary(noun: string, summary: BulkSummary): string {
  const { operation, job, total, failed, unknown, failures, rejects, organizations = [] } = summary;
  const shown = failures.slice(0, MAX_SHOWN_FAILURES);
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
