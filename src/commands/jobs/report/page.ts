import { createHash } from 'node:crypto';
import type { Reason } from '../../../bulk/reasons.ts';
import { hint, step } from '../../../kernel/hint.ts';
import { isObject } from '../../../kernel/is-object.ts';
import { redactMet } from '../../../kernel/redact.ts';
import { bytesText, count, elapsed, millisecondsText, momentText } from '../../../output/quantities.ts';
import type { JobReceipt } from '../receipt/receipt.ts';
import { isWorthTelling, placeText, targetText } from '../receipt/receipt-text.ts';
import { chartFigure } from './chart.ts';
import { chartsOf } from './charts.ts';
import { Html, html } from './html.ts';
import { STYLE } from './style.ts';

/**
 * A job's report as one page of HTML that needs nothing else: no script, no request, no font. It says the same of the
 * same job each time it is made.
 */
export function reportPage(receipt: JobReceipt): string {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Html(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${receipt.operation}, job ${receipt.id}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
${headOf(receipt)}
${outcomeOf(receipt)}
${chartsSection(receipt)}
${failuresOf(receipt)}
${receiptSection(receipt)}
</main>
</body>
</html>
`;
  return redactMet(page.text);
}

const STATES = { running: 'still running', stopped: 'stopped', done: 'done' } as const;

function headOf({ id, operation, state, input, ...receipt }: JobReceipt): Html {
  return html`<header>
<p class="over">Report of job ${id}</p>
<h1>${operation} <span class="state ${state}">${STATES[state]}</span></h1>
<p>${input} to ${targetText(receipt)}, ${momentText(receipt.times.startedAt)}</p>
</header>`;
}

const OUTCOMES = [
  ['succeeded', 'Succeeded', 'good'],
  ['failed', 'Failed', 'bad'],
  ['unknown', 'Unknown', 'unsure'],
  ['skipped', 'Not sent', 'none'],
] as const;

function outcomeOf({ counts, times, state, id }: JobReceipt): Html {
  const { total } = counts;
  const there = OUTCOMES.filter(([status]) => counts[status] > 0 || status === 'succeeded');
  let x = 0;
  const shares = there.map(([status, , kind]) => {
    const width = total > 0 ? (counts[status] / total) * 1000 : 0;
    // A share that is there is seen, however small it is.
    const shown = counts[status] > 0 ? Math.max(4, width) : 0;
    const from = Math.min(x, 1000 - shown);
    x += width;
    return html`<rect class="${kind}" x="${from.toFixed(1)}" width="${shown.toFixed(1)}" y="0" height="10"/>`;
  });
  const told = there.map(([status, name]) => `${count(counts[status])} ${name.toLowerCase()}`).join(', ');
  const tiles = there.map(
    ([status, name, kind]) =>
      html`<div class="${kind}"><dt>${name}</dt><dd>${count(counts[status])}</dd><dd class="share">${shareOf(counts[status], total)}</dd></div>
`,
  );
  return html`<section aria-labelledby="outcome">
<h2 id="outcome">What came of it</h2>
<dl class="tiles">
<div><dt>Records</dt><dd>${count(total)}</dd><dd class="share">in ${elapsed(times.seconds)}</dd></div>
${tiles}</dl>
<svg class="shares" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label="Of ${count(total)} records: ${told}.">${shares}</svg>
${state === 'stopped' ? html`<p class="note">The job has not come to its end. Go on with <code>${hint`${step('resume', 'jobs', 'resume', id)}`.text()}</code></p>` : undefined}
${counts.unknown > 0 ? html`<p class="note">Unknown: sent, and nobody knows whether it was applied.</p>` : undefined}
</section>`;
}

function chartsSection(receipt: JobReceipt): Html {
  const charts = chartsOf(receipt);
  if (charts.length === 0) return html``;
  return html`<section aria-labelledby="course">
<h2 id="course">How it went</h2>
<div class="charts">${charts.map(chartFigure)}</div>
</section>`;
}

function failuresOf({ reasons: { most, others }, counts }: JobReceipt): Html {
  if (most.length === 0) return html``;
  const all = counts.failed + counts.unknown;
  return html`<section aria-labelledby="failures">
<h2 id="failures">Why records did not succeed</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Reasons"><table class="reasons">
<thead><tr><th scope="col">Records</th><th scope="col">Reason</th><th scope="col">For example</th></tr></thead>
<tbody>${most.map((reason) => reasonRow(reason, all))}</tbody>
</table></div>
${others > 0 ? html`<p class="note">${count(others)} more for other reasons.</p>` : undefined}
</section>`;
}

function reasonRow({ status, message, code, count: records, examples }: Reason, all: number): Html {
  const kind = status === 'failed' ? 'bad' : 'unsure';
  const shown = examples.map(({ id, ...place }) => html`<li><code>${id}</code>${placeText(place)}</li>`);
  return html`<tr>
<td class="${kind}"><strong>${count(records)}</strong> ${status}<br><span class="share">${shareOf(records, all)}</span></td>
<td>${message ?? 'no reason given'}${code === null ? undefined : html`<br><code>${code}</code>`}</td>
<td><ul>${shown}${records > examples.length ? html`<li>and ${count(records - examples.length)} more</li>` : undefined}</ul></td>
</tr>
`;
}

function receiptSection(receipt: JobReceipt): Html {
  const rows = [...receiptRows(receipt)].map(
    ([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>
`,
  );
  return html`<section aria-labelledby="receipt">
<h2 id="receipt">Receipt</h2>
<dl class="receipt">
${rows}</dl>
</section>`;
}

function* receiptRows(receipt: JobReceipt): Generator<readonly [name: string, text: string]> {
  const { id, operation, state, inputs, times, runs, requests, retries, waits, latency, rejects } = receipt;
  yield ['Job', `${id}, ${STATES[state]}`];
  yield ['Operation', operation];
  yield ['Target', targetText(receipt)];
  for (const { name, format, bytes, sha256 } of inputs) {
    yield ['Input', `${name}, ${format.toUpperCase()}, ${bytesText(bytes)} (${count(bytes)} bytes)`];
    yield ['SHA-256', sha256];
  }
  yield* namedFields('Data', receipt.data);
  yield* namedFields('Flags', receipt.options);
  yield ['Began', momentText(times.startedAt)];
  yield ['Ended', times.endedAt === null ? 'not yet' : momentText(times.endedAt)];
  yield ['At work', `${elapsed(times.seconds)} in ${runs === 1 ? '1 run' : `${count(runs)} runs`}`];
  yield ['Requests', `${count(requests)}, of which ${count(retries)} were retries`];
  yield [
    'Rate limits',
    isWorthTelling(waits) ? `held requests back for ${elapsed(waits.seconds)} in all` : 'none were met',
  ];
  const { p50, p90, p99, max } = latency;
  if (p50 !== null && p90 !== null && p99 !== null && max !== null) {
    const [half, most, nearlyAll, all] = [p50, p90, p99, max].map(millisecondsText);
    yield ['Answers', `p50 ${half}, p90 ${most}, p99 ${nearlyAll}, the slowest ${all}`];
  }
  yield ['Rejects', rejects ?? 'none'];
}

function* namedFields(name: string, fields: Readonly<Record<string, unknown>>): Generator<readonly [string, string]> {
  const texts = Object.entries(fields).map(([field, value]) => `${field}: ${valueText(value)}`);
  if (texts.length > 0) yield [name, texts.join(', ')];
}

function valueText(value: unknown): string {
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
}

/** What is not all is not 100 %, and what is something is not 0. */
function shareOf(part: number, whole: number): string {
  if (whole === 0 || part === whole) return whole === 0 ? '' : '100 %';
  const percent = (part / whole) * 100;
  if (percent > 99.9) return 'over 99.9 %';
  if (part > 0 && percent < 0.1) return 'under 0.1 %';
  return `${Math.round(percent * 10) / 10} %`;
}
