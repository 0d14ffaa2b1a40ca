import type { FailureReason } from '../../../bulk/failure-reasons.ts';
import { formatOperation } from '../../../catalog/operation-name.ts';
import { commandLineOf, step } from '../../../kernel/errors.ts';
import { formatNounCount } from '../../../kernel/plural.ts';
import { escapeForTerminal } from '../../../kernel/safe-text.ts';
import { renderFieldList } from '../../../output/field-list.ts';
import { ASCII_GLYPHS, type Glyphs, UNICODE_GLYPHS } from '../../../output/glyphs.ts';
import {
  formatBytes,
  formatCount,
  formatElapsed,
  formatMilliseconds,
  formatTimestamp,
} from '../../../output/quantities.ts';
import { createMeasure } from '../../../output/width.ts';
import { createResumeHint } from '../../bulk/open-job.ts';
import { DOSSIER } from '../../dossier/dossier-run.ts';
import {
  formatOrganizations,
  hasMissingRecords,
  isWorthShowing,
} from '../../format-organizations.ts';
import {
  averageRate,
  type JobReceipt,
  recordsPerSecond,
  splitIntoIntervals,
} from './read-receipt.ts';

export interface ReceiptStyle {
  readonly plain: boolean;
  readonly width?: number | undefined;
}

const SPARKLINE_WIDTH = 40;
const GAP = '  ';
const RESUME_LABEL = 'resume';
const ORGANIZATIONS_LABEL = 'organizations';
/** Columns of the longest label, and the gap after it. */
const MARGIN = ORGANIZATIONS_LABEL.length + GAP.length;
const PLAIN_INTERVALS = 8;
const MAX_REASONS = 5;

export async function renderReceipt(receipt: JobReceipt, style: ReceiptStyle): Promise<string> {
  const rows = [...receiptLines(receipt), ...progressLines(receipt, style)].map(
    ([name, text]) => [name, escapeForTerminal(text)] as const,
  );
  const measure = await createMeasure(rows);
  const width = style.width || Number.POSITIVE_INFINITY;
  const isWide = ([name, text]: ReceiptLine) =>
    name === RESUME_LABEL && MARGIN + text.length > width;
  const shown = renderFieldList(
    rows.filter((row) => !isWide(row)),
    { measure, width, gap: GAP },
  );
  // A command on a single line can be copied.
  return [...shown, ...rows.filter(isWide).map(([name, text]) => `${name}\n${text}\n`)].join('');
}

type ReceiptLine = readonly [name: string, text: string];

export function* receiptLines(receipt: JobReceipt): Generator<ReceiptLine> {
  const { id, operation, state, inputs, counts, requests, retries, latency } = receipt;
  yield ['job', `${id} (${state})`];
  const { user, agent, ci } = receipt;
  const by = [user, agent && `agent ${agent} (self-reported)`, ci].filter(Boolean).join(', ');
  if (by !== '') yield ['user', by];
  if (receipt.approvedBy.length > 0) yield ['approved by', receipt.approvedBy.join(', ')];
  yield [
    'operation',
    `${formatOperation(operation)} ${directionOf(receipt)} ${formatTarget(receipt)}`,
  ];
  for (const { name, format, bytes, sha256 } of inputs) {
    yield ['input', `${name} (${format.toUpperCase()}, ${formatBytes(bytes)})`];
    yield ['sha256', sha256];
  }
  yield ['records', `${formatCount(counts.total)}: ${formatStatusCounts(counts)}`];
  yield [
    'requests',
    [formatCount(requests), retries > 0 && formatNounCount(retries, 'retry')]
      .filter(Boolean)
      .join(', '),
  ];
  yield ['time', formatTime(receipt)];
  if (latency.max !== null) yield ['latency', formatLatency(latency)];
}

function* progressLines(receipt: JobReceipt, style: ReceiptStyle): Generator<ReceiptLine> {
  const { id, state, reasons, rejects, organizations, counts } = receipt;
  if (isWorthShowing(organizations))
    yield [ORGANIZATIONS_LABEL, formatOrganizations(organizations, hasMissingRecords(counts))];
  yield* speedLines(receipt, style);
  yield* reasonLines(reasons.most, reasons.others, style);
  if (rejects) yield ['rejects', rejects];
  if (state !== 'stopped') return;
  yield receipt.lostInput === null
    ? [RESUME_LABEL, commandLineOf(step('resume', 'jobs', 'resume', id))]
    : ['note', createResumeHint(id, receipt.lostInput).format()];
}

function* speedLines(
  { series, times }: JobReceipt,
  { plain, width }: ReceiptStyle,
): Generator<ReceiptLine> {
  const room = width ? Math.max(width - MARGIN, PLAIN_INTERVALS) : SPARKLINE_WIDTH;
  const intervals = splitIntoIntervals(
    { series, times },
    plain ? PLAIN_INTERVALS : Math.min(SPARKLINE_WIDTH, room),
  );
  const rates = intervals.map(recordsPerSecond);
  if (rates.length === 0 || times.seconds === 0) return;
  const average = `${formatCount(Math.round(averageRate(intervals, times.seconds)))}/s average`;
  const most = `${formatCount(Math.round(Math.max(...rates)))}/s peak`;
  if (rates.length < 3) yield ['speed', average];
  else if (plain)
    yield [
      'speed',
      `${average}; over time: ${rates.map((rate) => formatCount(Math.round(rate))).join(', ')}`,
    ];
  else {
    const line = `${renderSparkline(rates)}${GAP}${average}, ${most}`;
    if (line.length <= room || !width) yield ['speed', line];
    else yield* [['speed', renderSparkline(rates)] as const, ['', `${average}, ${most}`] as const];
  }
}

function* reasonLines(
  most: readonly FailureReason[],
  others: number,
  { plain }: ReceiptStyle,
): Generator<ReceiptLine> {
  const shown = most.slice(0, MAX_REASONS);
  for (const [at, reason] of shown.entries())
    yield [at === 0 ? 'failures' : '', formatReason(reason, plain ? ASCII_GLYPHS : UNICODE_GLYPHS)];
  const more = most.slice(shown.length).reduce((sum, reason) => sum + reason.count, others);
  if (more > 0) yield ['', `${formatCount(more)} with other reasons`];
}

/**
 * Formats a reason, such as `3 failed: no such folder (not-found): u5 on line 6, u9 on line 10`.
 */
function formatReason(
  { count: records, status, message, code, examples }: FailureReason,
  { ellipsis }: Glyphs,
): string {
  const ids = examples.slice(0, 2).map(({ id, ...place }) => id + formatPosition(place));
  const more = records > ids.length ? `, ${ellipsis}` : '';
  return `${formatCount(records)} ${status}: ${message ?? 'no reason given'}${code ? ` (${code})` : ''}: ${ids.join(', ')}${more}`;
}

export function formatPosition({
  file,
  line,
}: Omit<FailureReason['examples'][number], 'id'>): string {
  const where = file === undefined ? '' : ` of ${file}`;
  return line === null ? '' : ` on line ${line}${where}`;
}

export function formatTarget({
  target: { origin, profile, apiKey },
}: Pick<JobReceipt, 'target'>): string {
  const by = [profile && `profile ${profile}`, apiKey && `API key ${apiKey}`]
    .filter(Boolean)
    .join(', ');
  return by ? `${origin} (${by})` : origin;
}

/** Returns the preposition between a job and its target. */
export function directionOf({ operation }: Pick<JobReceipt, 'operation'>): 'from' | 'to' {
  return operation === DOSSIER ? 'from' : 'to';
}

function formatStatusCounts(counts: JobReceipt['counts']): string {
  const { succeeded, failed, unknown, skipped, existing } = counts;
  return Object.entries({
    succeeded,
    failed,
    unknown,
    skipped: existing,
    'not sent': skipped - existing,
  })
    .filter(([status, count]) => status === 'succeeded' || count > 0)
    .map(([status, count]) => `${formatCount(count)} ${status}`)
    .join(', ');
}

function formatLatency(latency: JobReceipt['latency']): string {
  return Object.entries(latency)
    .map(([share, value]) => `${share} ${formatMilliseconds(value ?? 0)}`)
    .join(', ');
}

function formatTime({ times: { startedAt, endedAt, seconds }, runs, waits }: JobReceipt): string {
  const end = endedAt === null ? 'until now' : `to ${formatTimestamp(endedAt)}`;
  const waited = isSignificantWait(waits)
    ? `; ${formatElapsed(waits.seconds)} waiting for rate limits`
    : '';
  const work = runs > 1 ? ` of work in ${runs} runs` : '';
  return `${formatElapsed(seconds)}${work}, from ${formatTimestamp(startedAt)} ${end}${waited}`;
}

function isSignificantWait({ seconds }: JobReceipt['waits']): boolean {
  return seconds >= 0.1;
}

const STEPS = '▁▂▃▄▅▆▇█';

export function renderSparkline(values: readonly number[]): string {
  const most = Math.max(...values, 0);
  return values
    .map((value) => (value > 0 ? STEPS[Math.ceil((value / most) * STEPS.length) - 1] : ' '))
    .join('');
}
