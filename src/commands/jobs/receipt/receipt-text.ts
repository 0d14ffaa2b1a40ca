import type { Reason } from '../../../bulk/reasons.ts';
import { hint, step } from '../../../kernel/hint.ts';
import { amount } from '../../../kernel/plural.ts';
import { safeText } from '../../../kernel/safe-text.ts';
import { bytesText, count, elapsed, millisecondsText, momentText } from '../../../output/quantities.ts';
import { ASCII, DRAWN, type Signs } from '../../../output/signs.ts';
import { stacked } from '../../../output/stacked.ts';
import { measureFor } from '../../../output/width.ts';
import { intervalsOf, throughput } from './intervals.ts';
import type { JobReceipt } from './receipt.ts';
import { sparkline } from './sparkline.ts';

export interface ReceiptStyle {
  /** Without drawings, for who hears the text read out. */
  readonly plain: boolean;
  /** Columns of a terminal, whose lines are broken between words. */
  readonly width?: number | undefined;
}

const CURVE = 40;
const GAP = '  ';
const GO_ON = 'go on with';
/** The widest name, with the gap behind it. */
const MARGIN = GO_ON.length + GAP.length;
const PLAIN_CURVE = 8;
const MOST_REASONS = 5;

/** The receipt of a job for people: a line for each thing to know. Safe for a terminal. */
export async function receiptText(receipt: JobReceipt, style: ReceiptStyle): Promise<string> {
  const rows = [...lines(receipt, style)].map(([name, text]) => [name, safeText(text)] as const);
  if (!style.width) {
    const width = Math.max(...rows.map(([name]) => name.length));
    return rows.map(([name, text]) => `${name.padEnd(width)}${GAP}${text}\n`).join('');
  }
  const measure = await measureFor(rows);
  const isWide = ([name, text]: Line) => name === GO_ON && MARGIN + text.length > Number(style.width);
  const shown = stacked(
    rows.filter((row) => !isWide(row)),
    { measure, room: style.width, gap: GAP },
  );
  // A command may be copied, and stays in one line.
  return [...shown, ...rows.filter(isWide).map(([name, text]) => `${name}\n${text}\n`)].join('');
}

type Line = readonly [name: string, text: string];

function* lines(receipt: JobReceipt, style: ReceiptStyle): Generator<Line> {
  const { id, operation, state, inputs, counts, requests, retries, runs, rejects } = receipt;
  yield ['job', `${id} (${state})`];
  yield ['operation', `${operation} to ${targetText(receipt)}`];
  for (const { name, format, bytes, sha256 } of inputs) {
    yield ['input', `${name} (${format.toUpperCase()}, ${bytesText(bytes)})`];
    yield ['sha256', sha256];
  }
  yield ['records', `${count(counts.total)}: ${countsText(counts)}`];
  yield [
    'requests',
    [count(requests), retries > 0 && `${amount(retries, 'retry')}`, runs > 1 && `in ${runs} runs`]
      .filter(Boolean)
      .join(', '),
  ];
  yield ['time', timeText(receipt)];
  yield* figures(receipt, style);
  yield* reasonLines(receipt.reasons.most, receipt.reasons.others, style);
  if (rejects) yield ['rejects', rejects];
  if (state === 'stopped') yield [GO_ON, hint`${step('resume', 'jobs', 'resume', id)}`.text()];
}

function* figures({ latency, ...receipt }: JobReceipt, { plain, width }: ReceiptStyle): Generator<Line> {
  const { p50, p90, p99, max } = latency;
  if (p50 !== null && p90 !== null && p99 !== null && max !== null) {
    const [middle, most, nearlyAll, all] = [p50, p90, p99, max].map(millisecondsText);
    yield [
      'answers',
      `half of them within ${middle}, 90 % within ${most}, 99 % within ${nearlyAll}, all within ${all}`,
    ];
  }
  const { series, times, counts } = receipt;
  const room = width ? Math.max(width - MARGIN, PLAIN_CURVE) : CURVE;
  const rates = intervalsOf({ series, times }, plain ? PLAIN_CURVE : Math.min(CURVE, room)).map(throughput);
  const done = counts.succeeded + counts.failed + counts.unknown;
  if (rates.length === 0 || times.seconds === 0) return;
  const average = `${count(Math.round(done / times.seconds))}/s on average`;
  const most = `${count(Math.round(Math.max(...rates)))}/s at most`;
  if (rates.length < 3) yield ['speed', average];
  else if (plain) yield ['speed', `${average}; over time: ${rates.map((rate) => count(Math.round(rate))).join(', ')}`];
  else {
    const line = `${sparkline(rates)}${GAP}${average}, ${most}`;
    if (line.length <= room || !width) yield ['speed', line];
    else yield* [['speed', sparkline(rates)] as const, ['', `${average}, ${most}`] as const];
  }
}

function* reasonLines(most: readonly Reason[], others: number, { plain }: ReceiptStyle): Generator<Line> {
  const shown = most.slice(0, MOST_REASONS);
  for (const [at, reason] of shown.entries())
    yield [at === 0 ? 'failures' : '', reasonText(reason, plain ? ASCII : DRAWN)];
  const more = most.slice(shown.length).reduce((sum, reason) => sum + reason.count, others);
  if (more > 0) yield ['', `${count(more)} for other reasons`];
}

/** `3 failed: no such folder (not-found): u5 on line 6, u9 on line 10` */
function reasonText({ count: records, status, message, code, examples }: Reason, { ellipsis }: Signs): string {
  const ids = examples.slice(0, 2).map(({ id, ...place }) => id + placeText(place));
  const more = records > ids.length ? `, ${ellipsis}` : '';
  return `${count(records)} ${status}: ${message ?? 'no reason given'}${code ? ` (${code})` : ''}: ${ids.join(', ')}${more}`;
}

/** ` on line 6`, and of which file where there are several. */
export function placeText({ file, line }: Omit<Reason['examples'][number], 'id'>): string {
  const where = file === undefined ? '' : ` of ${file}`;
  return line === null ? '' : ` on line ${line}${where}`;
}

/** `https://api.example.com (profile prod, API key k1)` */
export function targetText({ target: { origin, profile, apiKey } }: Pick<JobReceipt, 'target'>): string {
  const by = [profile && `profile ${profile}`, apiKey && `API key ${apiKey}`].filter(Boolean).join(', ');
  return by ? `${origin} (${by})` : origin;
}

/** `9 succeeded, 1 failed`: what is 0 is left out, but for what succeeded. */
function countsText(counts: JobReceipt['counts']): string {
  return (['succeeded', 'failed', 'unknown', 'skipped'] as const)
    .filter((status) => status === 'succeeded' || counts[status] > 0)
    .map((status) => `${count(counts[status])} ${status}`)
    .join(', ');
}

/** `12 s at work, from 2026-03-01 12:00:05 UTC to 2026-03-01 12:00:17 UTC` */
function timeText({ times: { startedAt, endedAt, seconds }, waits }: JobReceipt): string {
  const end = endedAt === null ? 'until now' : `to ${momentText(endedAt)}`;
  const waited = isWorthTelling(waits) ? `; rate limits held requests back for ${elapsed(waits.seconds)} in all` : '';
  return `${elapsed(seconds)} at work, from ${momentText(startedAt)} ${end}${waited}`;
}

/** Shorter pauses come from requests taking turns. */
export function isWorthTelling({ seconds }: JobReceipt['waits']): boolean {
  return seconds >= 0.1;
}
