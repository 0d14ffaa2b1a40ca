import { type Html, html } from './html.ts';

/** A chart, with the same data as a table for exact values and screen readers. */
export interface Chart {
  readonly title: string;
  readonly summary: string;
  readonly formatValue: (value: number) => string;
  readonly xLabels: readonly string[];
  readonly columns: readonly ChartColumn[];
  /** Series of the stacked columns, from bottom to top. */
  readonly series: readonly { readonly name: string; readonly kind: 'good' | 'bad' | 'calm' }[];
  readonly table: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };
}

export interface ChartColumn {
  /** Tooltip: `12 s to 14 s: 1,200 users/s`. */
  readonly title: string;
  /** Position on the axis, from 0 to 1. */
  readonly from: number;
  readonly to: number;
  readonly values: readonly number[];
}

const [WIDTH, HEIGHT] = [1000, 200];

/** Renders a column chart. Labels are HTML text, which stays readable on narrow screens. */
export function renderChart({ title, summary, formatValue, xLabels, columns, series, table }: Chart): Html {
  const highest = Math.max(...columns.map(({ values }) => values.reduce((sum, one) => sum + one, 0)));
  const { max, ticks } = createScale(highest);
  const lines = ticks.map((tick) => {
    const y = roundCoordinate(HEIGHT - (tick / max) * HEIGHT);
    return html`<line x1="0" x2="${WIDTH}" y1="${y}" y2="${y}"/>`;
  });
  const legend = series.length > 1 ? series.map(({ name, kind }) => html`<li class="${kind}">${name}</li>`) : [];
  return html`
<figure>
<figcaption><h3>${title}</h3><p>${summary}</p></figcaption>
${legend.length > 0 ? html`<ul class="legend">${legend}</ul>` : undefined}
<div class="plot">
<ol class="up" aria-hidden="true">${ticks.toReversed().map((tick) => html`<li>${formatValue(tick)}</li>`)}</ol>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}. ${summary}">
<g class="grid">${lines}</g>
${columns.map((column) => renderColumn(column, series, max))}
</svg>
<ol class="along" aria-hidden="true">${xLabels.map((label) => html`<li>${label}</li>`)}</ol>
</div>
${renderTable(title, table)}
</figure>`;
}

function renderColumn({ title, from, to, values }: ChartColumn, series: Chart['series'], max: number): Html {
  let y = HEIGHT;
  const [left, right] = [from * WIDTH, to * WIDTH];
  const gap = Math.min(2, (right - left) / 5);
  const shapes = values.map((value, at) => {
    // Keeps nonzero values visible.
    const height = value > 0 ? Math.max(1, (value / max) * HEIGHT) : 0;
    y -= height;
    if (height === 0) return html``;
    return html`<rect class="${series[at]?.kind ?? 'calm'}" x="${roundCoordinate(left)}" width="${roundCoordinate(right - left - gap)}" y="${roundCoordinate(y)}" height="${roundCoordinate(height)}"/>`;
  });
  return html`<g class="column"><title>${title}</title><rect class="reach" x="${roundCoordinate(left)}" width="${roundCoordinate(right - left)}" y="0" height="${HEIGHT}"/>${shapes}</g>
`;
}

function renderTable(title: string, { head, rows }: Chart['table']): Html {
  return html`<details><summary>Data</summary>
<div class="scroll" tabindex="0" role="region" aria-label="${title}: data"><table>
<thead><tr>${head.map((text) => html`<th scope="col">${text}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) => html`<tr>${row.map((text, at) => (at === 0 ? html`<th scope="row">${text}</th>` : html`<td>${text}</td>`))}</tr>
`,
  )}</tbody>
</table></div>
</details>`;
}

function roundCoordinate(value: number): number {
  return Math.round(value * 100) / 100;
}

const ROUND_FACTORS = [1, 2, 2.5, 5];
const INTERVALS = { fewest: 3, most: 5 };

/** Creates the smallest scale that includes a value and has three to five round intervals. */
export function createScale(value: number): { readonly max: number; readonly ticks: readonly number[] } {
  const highest = Math.max(value, Number.MIN_VALUE);
  const power = 10 ** Math.floor(Math.log10(highest));
  const steps = [power / 10, power].flatMap((unit) => ROUND_FACTORS.map((round) => round * unit));
  const fits = steps
    .map((step) => ({ step, intervals: Math.max(INTERVALS.fewest, Math.ceil(highest / step - 1e-9)) }))
    .filter(({ intervals }) => intervals <= INTERVALS.most)
    .toSorted((one, other) => one.step * one.intervals - other.step * other.intervals);
  const { step, intervals } = fits[0] ?? { step: highest, intervals: 1 };
  return { max: step * intervals, ticks: Array.from({ length: intervals + 1 }, (_, at) => at * step) };
}
