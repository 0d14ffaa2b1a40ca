import { formatCount, formatElapsed } from '../../../output/quantities.ts';
import {
  averageRate,
  type JobReceipt,
  recordsPerSecond,
  splitIntoIntervals,
} from '../receipt/read-receipt.ts';
import { type Html, html } from './html.ts';

const MAX_COLUMNS = 60;
const MIN_COLUMNS = 3;
const LABEL_COUNT = 5;

/** A column chart, with the same data as a table for exact values and screen readers. */
interface Chart {
  readonly title: string;
  readonly summary: string;
  readonly xLabels: readonly string[];
  readonly columns: readonly Column[];
}

interface Column {
  /** Position on the axis, from 0 to 1. */
  readonly from: number;
  readonly to: number;
  readonly span: string;
  readonly value: number;
  readonly failed: number;
}

/** Renders the throughput over time; `undefined` if the job was too short. */
export function renderThroughput(receipt: JobReceipt): Html | undefined {
  const intervals = splitIntoIntervals(receipt, MAX_COLUMNS);
  if (intervals.length < MIN_COLUMNS) return undefined;
  const end = intervals.at(-1)?.to ?? 1;
  const columns = intervals.map((interval) => ({
    from: interval.from / end,
    to: interval.to / end,
    value: recordsPerSecond(interval),
    span: `${formatElapsed(interval.from)} to ${formatElapsed(interval.to)}`,
    failed: interval.failed / (interval.to - interval.from),
  }));
  const average = formatRate(averageRate(intervals, receipt.times.seconds));
  const peak = formatRate(Math.max(...columns.map(({ value }) => value)));
  return renderChart({
    title: 'Records per second',
    summary: `Average ${average}, peak ${peak}. Failed and unknown records are at the top of each column.`,
    xLabels: labelAxis((share) => formatElapsed(share * end)),
    columns,
  });
}

function formatRate(rate: number): string {
  return formatCount(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate));
}

function labelAxis(label: (share: number) => string): readonly string[] {
  return Array.from({ length: LABEL_COUNT }, (_, at) => label(at / (LABEL_COUNT - 1)));
}

const [WIDTH, HEIGHT] = [1000, 200];

/** Renders a chart. Labels are HTML text, which stays readable on narrow screens. */
function renderChart({ title, summary, xLabels, columns }: Chart): Html {
  const { max, ticks } = createScale(Math.max(...columns.map(({ value }) => value)));
  const lines = ticks.map((tick) => {
    const y = roundCoordinate(HEIGHT - (tick / max) * HEIGHT);
    return html`<line x1="0" x2="${WIDTH}" y1="${y}" y2="${y}"/>`;
  });
  const cells = ({ value, failed }: Column) => [formatRate(value), formatRate(failed)];
  const rows = columns.map(
    (
      column,
    ) => html`<tr><th scope="row">${column.span}</th>${cells(column).map((text) => html`<td>${text}</td>`)}</tr>
`,
  );
  const head = ['Time', title, 'Failed or unknown'];
  return html`
<figure>
<figcaption><h3>${title}</h3><p>${summary}</p></figcaption>
<div class="plot">
<ol class="up" aria-hidden="true">${ticks.toReversed().map((tick) => html`<li>${formatRate(tick)}</li>`)}</ol>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}. ${summary}">
<g class="grid">${lines}</g>
${columns.map((column) => renderColumn(column, `${column.span}: ${cells(column).join(', failed: ')}`, max))}
</svg>
<ol class="along" aria-hidden="true">${xLabels.map((label) => html`<li>${label}</li>`)}</ol>
</div>
<details><summary>Data</summary>
<div class="scroll" tabindex="0" role="region" aria-label="${title}: data"><table>
<thead><tr>${head.map((text) => html`<th scope="col">${text}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table></div>
</details>
</figure>`;
}

function renderColumn({ from, to, value, failed }: Column, title: string, max: number): Html {
  const [left, width] = [roundCoordinate(from * WIDTH), (to - from) * WIDTH];
  const column = (kind: string, part: number, gap = Math.min(2, width / 5)) => {
    // Keeps nonzero values visible.
    const height = roundCoordinate(part > 0 ? Math.max(1, (part / max) * HEIGHT) : 0);
    const y = roundCoordinate(HEIGHT - (kind === 'bad' ? (value / max) * HEIGHT : height));
    return html`<rect class="${kind}" x="${left}" width="${roundCoordinate(width - gap)}" y="${y}" height="${height}"/>`;
  };
  return html`<g class="column"><title>${title}</title>${column('reach', max, 0)}${column('calm', value)}${column('bad', failed)}</g>
`;
}

function roundCoordinate(value: number): number {
  return Math.round(value * 100) / 100;
}

const ROUND_FACTORS = [1, 2, 2.5, 5];

/** Creates the smallest scale that includes a value and has three to five round intervals. */
export function createScale(value: number): {
  readonly max: number;
  readonly ticks: readonly number[];
} {
  const highest = Math.max(value, Number.MIN_VALUE);
  const power = 10 ** Math.floor(Math.log10(highest));
  const steps = [power / 10, power].flatMap((unit) => ROUND_FACTORS.map((round) => round * unit));
  const fits = steps
    .map((step) => ({ step, intervals: Math.max(3, Math.ceil(highest / step - 1e-9)) }))
    .filter(({ intervals }) => intervals <= 5)
    .toSorted((one, other) => one.step * one.intervals - other.step * other.intervals);
  const { step, intervals } = fits[0] ?? { step: highest, intervals: 1 };
  return {
    max: step * intervals,
    ticks: Array.from({ length: intervals + 1 }, (_, at) => at * step),
  };
}
