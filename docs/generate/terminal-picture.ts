import { Unicode11Addon } from '@xterm/addon-unicode11';
import xterm from '@xterm/headless';

/** Size of a character cell in pixels, for the fonts of the stack below. */
const CELL = { width: 8.43, height: 19 };
const MARGIN = 18;
const TITLE_BAR = 34;

/**
 * The 16 colors of a terminal theme, in light and dark, as CSS custom properties `--c0` to `--c15`.
 */
const LIGHT = [
  '#24292f',
  '#b3261e',
  '#116329',
  '#7a4e00',
  '#0550ae',
  '#8250df',
  '#0b6b74',
  '#57606a',
  '#57606a',
  '#a40e26',
  '#1a7f37',
  '#633c01',
  '#218bff',
  '#6639ba',
  '#0d7a85',
  '#24292f',
];
const DARK = [
  '#6e7681',
  '#ff7b72',
  '#56d364',
  '#e3b341',
  '#79c0ff',
  '#d2a8ff',
  '#56d4dd',
  '#c9d1d9',
  '#8b949e',
  '#ffa198',
  '#7ee787',
  '#f2cc60',
  '#a5d6ff',
  '#e2c5ff',
  '#87deea',
  '#f0f6fc',
];

const variables = (colors: readonly string[]) =>
  colors.map((color, at) => `--c${at}:${color}`).join(';');

const STYLE = `
:root{--ground:#ffffff;--bar:#f1f3f5;--line:#d0d7de;--text:#24292f;${variables(LIGHT)}}
@media (prefers-color-scheme:dark){:root{--ground:#0d1117;--bar:#161b22;--line:#30363d;--text:#e6edf3;${variables(DARK)}}}
.window{fill:var(--ground);stroke:var(--line)}.bar{fill:var(--bar)}.dot{fill:var(--line)}
text{font:14px ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace;white-space:pre;fill:var(--text)}
.b{font-weight:700}.d{opacity:.62}.u{text-decoration:underline}${LIGHT.map((_, at) => `.c${at}{fill:var(--c${at})}`).join('')}`;

/**
 * Draws what a terminal shows as an SVG that follows the reader's light or dark theme.
 * @param written everything that programs wrote to the terminal, control sequences included
 * @param label what the picture shows, for readers who do not see it
 * @param skipped passages that are drawn as `⋯`
 */
export async function terminalPicture(
  written: string,
  columns: number,
  label: string,
  skipped: readonly Passage[] = [],
): Promise<string> {
  const lines = skipped.reduce(withoutPassage, await linesOf(written, columns));
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN);
  const height = TITLE_BAR + lines.length * CELL.height + MARGIN;
  const rows = lines.map((runs, row) => {
    const y = TITLE_BAR + row * CELL.height + CELL.height - 4;
    return runs.map((run) => textElement(run, y)).join('');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(label)}</title>
<style>${STYLE}</style>
<rect class="window" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9"/>
<path class="bar" d="M1 ${TITLE_BAR - 8}V9a8 8 0 0 1 8-8h${width - 18}a8 8 0 0 1 8 8v${TITLE_BAR - 17}z"/>
${[20, 40, 60].map((x) => `<circle class="dot" cx="${x}" cy="14" r="5.5"/>`).join('')}
${rows.filter((row) => row !== '').join('\n')}
</svg>
`;
}

/** A text of the first line of a passage, and a text of the line that follows it. */
type Passage = readonly [first: string, next: string];

interface Run {
  readonly column: number;
  readonly text: string;
  /** CSS classes of the style. */
  readonly style: string;
}

type Line = readonly Run[];

function withoutPassage(lines: readonly Line[], [first, next]: Passage): readonly Line[] {
  const has = (words: string) => (line: Line) => line.some(({ text }) => text.includes(words));
  const start = lines.findIndex(has(first));
  const length = lines.slice(start).findIndex(has(next));
  if (start < 0 || length < 0) throw new Error(`no lines from '${first}' to '${next}'`);
  return lines.toSpliced(start, length, [{ column: 0, text: '⋯', style: 'd' }]);
}

function textElement({ column, text, style }: Run, y: number): string {
  const x = (MARGIN + column * CELL.width).toFixed(1);
  return `<text x="${x}" y="${y}"${style && ` class="${style}"`}>${escaped(text)}</text>`;
}

/**
 * The runs of equal style in each line. A wide character is a run of its own, so that what follows
 * stays in its column.
 */
async function linesOf(written: string, columns: number): Promise<readonly Line[]> {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows: 200,
    allowProposedApi: true,
    convertEol: true,
  });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  await new Promise<void>((resolve) => terminal.write(written, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, row) =>
    runsOf(active.getLine(row), columns),
  );
  terminal.dispose();
  while (lines.length > 0 && lines.at(-1)?.every(({ text }) => text.trim() === '')) lines.pop();
  return lines;
}

type BufferLine = ReturnType<InstanceType<typeof xterm.Terminal>['buffer']['active']['getLine']>;

function runsOf(line: BufferLine, columns: number): Line {
  const runs: { column: number; text: string; style: string }[] = [];
  let isOpen = false;
  for (let column = 0; column < columns; column++) {
    const cell = line?.getCell(column);
    if (!cell || cell.getWidth() === 0) continue;
    const text = cell.getChars() || ' ';
    const style = styleOf(cell);
    const last = runs.at(-1);
    if (isOpen && last?.style === style) last.text += text;
    else runs.push({ column, text, style });
    isOpen = cell.getWidth() === 1 && /^[\x20-\x7e]$/.test(text);
  }
  return runs
    .map((run) => ({ ...run, text: run.text.replace(/ +$/, '') }))
    .filter(({ text }) => text !== '');
}

function styleOf(cell: NonNullable<ReturnType<NonNullable<BufferLine>['getCell']>>): string {
  const color = cell.isFgPalette() ? `c${cell.getFgColor()}` : '';
  return [color, cell.isBold() && 'b', cell.isDim() && 'd', cell.isUnderline() && 'u']
    .filter(Boolean)
    .join(' ');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
