import { createHash } from 'node:crypto';
import type { FailureReason } from '../../../bulk/failure-reasons.ts';
import { formatOperation } from '../../../catalog/operation-name.ts';
import { readProjectFile } from '../../../kernel/bundled-programs.ts';
import { commandLineOf, step } from '../../../kernel/errors.ts';
import { upperFirst } from '../../../kernel/first-letter.ts';
import { isObject } from '../../../kernel/json.ts';
import { redactRemembered } from '../../../kernel/redact.ts';
import { formatCount, formatElapsed, formatTimestamp } from '../../../output/quantities.ts';
import type { JobReceipt } from '../receipt/read-receipt.ts';
import {
  directionOf,
  formatPosition,
  formatTarget,
  receiptLines,
} from '../receipt/render-receipt.ts';
import { renderThroughput } from './chart.ts';
import { Html, html } from './html.ts';

export async function renderReport(receipt: JobReceipt): Promise<string> {
  const style = await readProjectFile('src/commands/jobs/report/report.css');
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Html(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${formatOperation(receipt.operation)}, job ${receipt.id}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main>
${renderHeader(receipt)}
${renderFailures(receipt)}
${renderOutcome(receipt)}
${renderOrganizations(receipt)}
${renderProgress(receipt)}
${renderReceiptTable(receipt)}
</main>
</body>
</html>
`;
  return redactRemembered(page.text);
}

const STATES = { running: 'still running', stopped: 'stopped', done: 'done' } as const;

function renderHeader({ id, operation, state, input, ...receipt }: JobReceipt): Html {
  return html`<header>
<p class="over">Report of job ${id}</p>
<h1>${formatOperation(operation)} <span class="state ${state}">${STATES[state]}</span></h1>
<p>${input} ${directionOf({ operation })} ${formatTarget(receipt)}, ${formatTimestamp(receipt.times.startedAt)}</p>
</header>`;
}

const OUTCOMES = [
  ['succeeded', 'Succeeded', 'good'],
  ['failed', 'Failed', 'bad'],
  ['unknown', 'Unknown', 'unsure'],
  ['existing', 'Skipped', 'none'],
  ['notSent', 'Not sent', 'none'],
] as const;

function renderOutcome({
  counts: { skipped, ...known },
  times,
  state,
  id,
  lostInput,
}: JobReceipt): Html {
  const counts = { ...known, notSent: skipped - known.existing };
  const { total } = counts;
  const shownOutcomes = OUTCOMES.filter(([status]) => counts[status] > 0 || status === 'succeeded');
  const tiles = shownOutcomes.map(
    ([status, name, kind]) =>
      html`<div class="${kind}"><dt>${name}</dt><dd>${formatCount(counts[status])}</dd><dd class="share">${formatShare(counts[status], total)}</dd></div>
`,
  );
  return html`<section aria-labelledby="outcome">
<h2 id="outcome">Result</h2>
<dl class="tiles">
<div><dt>Records</dt><dd>${formatCount(total)}</dd><dd class="share">in ${formatElapsed(times.seconds)}</dd></div>
${tiles}</dl>
${state === 'stopped' ? html`<p class="note">The job is not finished. ${renderResume(id, lostInput)}</p>` : undefined}
${counts.unknown > 0 ? html`<p class="note">Unknown: sent, but it is not known whether the records were applied.</p>` : undefined}
</section>`;
}

function renderResume(id: string, lostInput: string | null): Html {
  if (lostInput !== null) return html`It cannot be resumed without the original ${lostInput}.`;
  return html`Resume it with <code>${commandLineOf(step('resume', 'jobs', 'resume', id))}</code>`;
}

function renderProgress(receipt: JobReceipt): Html {
  const chart = renderThroughput(receipt);
  if (chart === undefined) return html``;
  return html`<section aria-labelledby="course">
<h2 id="course">Progress</h2>
${chart}
</section>`;
}

function renderOrganizations({ organizations }: JobReceipt): Html {
  if (organizations.length === 0) return html``;
  const rows = organizations.map(
    ({ id, total, succeeded, failed, new: isNew }) =>
      html`<tr><th scope="row"><code>${id}</code>${isNew ? ' (new)' : ''}</th><td>${formatCount(succeeded)} of ${formatCount(total)}</td><td>${formatCount(failed)}</td></tr>
`,
  );
  return html`<section aria-labelledby="organizations">
<h2 id="organizations">Organizations</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Organizations"><table class="numbers">
<thead><tr><th scope="col">Organization</th><th scope="col">Succeeded</th><th scope="col">Failed</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>
</section>`;
}

function renderFailures({ reasons: { most, others }, counts }: JobReceipt): Html {
  if (most.length === 0) return html``;
  const all = counts.failed + counts.unknown;
  return html`<section aria-labelledby="failures">
<h2 id="failures">Failures</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Reasons"><table class="reasons">
<thead><tr><th scope="col">Records</th><th scope="col">Reason</th><th scope="col">Examples</th></tr></thead>
<tbody>${most.map((reason) => renderReason(reason, all))}</tbody>
</table></div>
${others > 0 ? html`<p class="note">${formatCount(others)} more with other reasons.</p>` : undefined}
</section>`;
}

function renderReason(
  { status, message, code, count: records, examples }: FailureReason,
  all: number,
): Html {
  const kind = status === 'failed' ? 'bad' : 'unsure';
  const shown = examples.map(
    ({ id, ...place }) => html`<li><code>${id}</code>${formatPosition(place)}</li>`,
  );
  return html`<tr>
<td class="${kind}"><strong>${formatCount(records)}</strong> ${status}<br><span class="share">${formatShare(records, all)}</span></td>
<td>${message ?? 'no reason given'}${code === null ? undefined : html`<br><code>${code}</code>`}</td>
<td><ul>${shown}${records > examples.length ? html`<li>and ${formatCount(records - examples.length)} more</li>` : undefined}</ul></td>
</tr>
`;
}

function renderReceiptTable(receipt: JobReceipt): Html {
  const { data, options, rejects } = receipt;
  const more = [
    ...namedFields('data', data),
    ...namedFields('flags', options),
    ['rejects', rejects ?? 'none'] as const,
  ];
  const rows = [...receiptLines(receipt), ...more].map(
    ([name, text]) => html`<div><dt>${upperFirst(name)}</dt><dd>${text}</dd></div>
`,
  );
  return html`<section aria-labelledby="receipt">
<h2 id="receipt">Receipt</h2>
<dl class="receipt">
${rows}</dl>
</section>`;
}

function* namedFields(
  name: string,
  fields: Readonly<Record<string, unknown>>,
): Generator<readonly [string, string]> {
  const texts = Object.entries(fields).map(
    ([field, value]) => `${field}: ${formatFieldValue(value)}`,
  );
  if (texts.length > 0) yield [name, texts.join(', ')];
}

function formatFieldValue(value: unknown): string {
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
}

/** Formats a percentage. Only a complete share is formatted as 100%, and only zero as 0%. */
function formatShare(part: number, whole: number): string {
  if (whole === 0 || part === whole) return whole === 0 ? '' : '100%';
  const percent = (part / whole) * 100;
  if (percent > 99.9) return 'over 99.9%';
  if (part > 0 && percent < 0.1) return 'under 0.1%';
  return `${Math.round(percent * 10) / 10}%`;
}
