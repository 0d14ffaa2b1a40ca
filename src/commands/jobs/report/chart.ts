import { type Html, html } from './html.ts';
import { scaleFor } from './scale.ts';

/** What a chart shows, and the same as a table for who cannot see it or wants to know exactly. */
export interface Chart {
  readonly title: string;
  /** What it says, in a sentence. */
  readonly summary: string;
  /** How a value of the vertical axis is written. */
  readonly value: (value: number) => string;
  /** Marks along the horizontal axis, from its beginning to its end in equal distances. */
  readonly along: readonly string[];
  /** From left to right. */
  readonly columns: readonly ChartColumn[];
  /** The kinds of parts, from the bottom up. */
  readonly parts: readonly { readonly name: string; readonly kind: PartKind }[];
  readonly table: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };
}

export interface ChartColumn {
  /** What it stands for: `12 s to 14 s: 1,200 users/s`. */
  readonly title: string;
  /** From 0, the beginning of the axis, to 1. */
  readonly from: number;
  readonly to: number;
  /** Heights of the parts that stand on each other. */
  readonly values: readonly number[];
}

/** How a part is coloured. */
export type PartKind = 'good' | 'bad' | 'calm';

const [WIDTH, HEIGHT] = [1000, 200];

/** Columns over an axis. Labels are text of the page, so that they stay readable however narrow it is. */
export function chartFigure({ title, summary, value, along, columns, parts, table }: Chart): Html {
  const highest = Math.max(...columns.map(({ values }) => values.reduce((sum, one) => sum + one, 0)));
  const { most, marks } = scaleFor(highest);
  const lines = marks.map((mark) => {
    const y = rounded(HEIGHT - (mark / most) * HEIGHT);
    return html`<line x1="0" x2="${WIDTH}" y1="${y}" y2="${y}"/>`;
  });
  const legend = parts.length > 1 ? parts.map(({ name, kind }) => html`<li class="${kind}">${name}</li>`) : [];
  return html`
<figure>
<figcaption><h3>${title}</h3><p>${summary}</p></figcaption>
${legend.length > 0 ? html`<ul class="legend">${legend}</ul>` : undefined}
<div class="plot">
<ol class="up" aria-hidden="true">${marks.toReversed().map((mark) => html`<li>${value(mark)}</li>`)}</ol>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}. ${summary}">
<g class="grid">${lines}</g>
${columns.map((column) => columnShape(column, parts, most))}
</svg>
<ol class="along" aria-hidden="true">${along.map((text) => html`<li>${text}</li>`)}</ol>
</div>
${figureTable(title, table)}
</figure>`;
}

function columnShape({ title, from, to, values }: ChartColumn, parts: Chart['parts'], most: number): Html {
  let y = HEIGHT;
  const [left, right] = [from * WIDTH, to * WIDTH];
  const gap = Math.min(2, (right - left) / 5);
  const shapes = values.map((value, at) => {
    // What is there is seen, however little it is.
    const height = value > 0 ? Math.max(1, (value / most) * HEIGHT) : 0;
    y -= height;
    if (height === 0) return html``;
    return html`<rect class="${parts[at]?.kind ?? 'calm'}" x="${rounded(left)}" width="${rounded(right - left - gap)}" y="${rounded(y)}" height="${rounded(height)}"/>`;
  });
  return html`<g class="column"><title>${title}</title><rect class="reach" x="${rounded(left)}" width="${rounded(right - left)}" y="0" height="${HEIGHT}"/>${shapes}</g>
`;
}

function figureTable(title: string, { head, rows }: Chart['table']): Html {
  return html`<details><summary>The figures</summary>
<div class="scroll" tabindex="0" role="region" aria-label="${title}: the figures"><table>
<thead><tr>${head.map((text) => html`<th scope="col">${text}</th>`)}</tr></thead>
<tbody>${rows.map(
    (
      row,
    ) => html`<tr>${row.map((text, at) => (at === 0 ? html`<th scope="row">${text}</th>` : html`<td>${text}</td>`))}</tr>
`,
  )}</tbody>
</table></div>
</details>`;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
