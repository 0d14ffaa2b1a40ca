import { stat } from 'node:fs/promises';
import type { BulkSummary, FailureLine } from '../../bulk/summary.ts';
import { formatOperation } from '../../catalog/operation-name.ts';
import { messageOf } from '../../kernel/errors.ts';
import { upperFirst } from '../../kernel/first-letter.ts';
import { openOutputFile } from '../../kernel/output-file.ts';
import { formatNounCount, groupDigits } from '../../kernel/plural.ts';
import { closeAfter } from '../../kernel/resource.ts';
import { escapeMarkdown, formatMarkdownTable } from '../../output/markdown.ts';
import { formatElapsed } from '../../output/quantities.ts';
import type { Context } from '../context.ts';
import { formatOrganizations, isWorthShowing } from './format-organizations.ts';

const MAX_SHOWN_FAILURES = 20;

/** GitHub discards the summary of a step if it has more bytes. */
const MAX_BYTES = 1024 * 1024;

/**
 * Appends Markdown to the summary of a step in GitHub Actions, if the environment names its file.
 * Only warns if it cannot.
 */
export async function appendStepSummary(
  { environment, warn, signal }: Pick<Context, 'environment' | 'warn' | 'signal'>,
  render: () => string | Promise<string>,
): Promise<void> {
  const path = environment['GITHUB_STEP_SUMMARY'];
  if (!path) return;
  try {
    const text = `${await render()}\n`;
    const { size } = (await stat(path).catch(() => undefined)) ?? { size: 0 };
    if (size + Buffer.byteLength(text) > MAX_BYTES)
      return await warn('GITHUB_STEP_SUMMARY: the summary of the step is full');
    const file = await openOutputFile(path, { existing: 'append', mode: 0o600, signal });
    await closeAfter(file, () => file.write(text));
  } catch (error) {
    await warn(`GITHUB_STEP_SUMMARY: ${messageOf(error)}`);
  }
}

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
      ? [`Organizations: ${escapeMarkdown(formatOrganizations(organizations))}\n`]
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
