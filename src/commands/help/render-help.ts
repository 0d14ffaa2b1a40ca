import { wrapCommand } from '../../output/message-text.ts';
import { wrapWords } from '../../output/wrap.ts';
import type {
  CommandBlock,
  HelpBlock,
  HelpPage,
  HelpRow,
  HelpSection,
  RowsBlock,
} from './blocks.ts';

export interface HelpStyle {
  /** Width of the terminal; undefined prints each paragraph and row in one line. */
  readonly columns: number | undefined;
  /** Prints headings in bold, and notes dim. Without colors, help fits light and dark themes. */
  readonly isStyled?: boolean;
  /** Replaces characters that the terminal cannot show. */
  readonly toText?: (text: string) => string;
}

const BOLD = '\u001b[1m';
const DIM = '\u001b[2m';
const NORMAL = '\u001b[22m';
const INDENT = '  ';
const GAP = '  ';
/**
 * Minimum width of the explanation column. In a narrower terminal, explanations go below their
 * terms.
 */
const MIN_COLUMN_WIDTH = 24;
const MAX_WIDTH = 100;
const length = (text: string) => text.length;

/** Renders a help page. Keeps columns aligned. Wrapped commands can still be pasted. */
export function renderHelp(page: HelpPage, style: HelpStyle): string {
  const { columns = 0, isStyled = false, toText = (text) => text } = style;
  const width = columns > 0 ? Math.min(columns, MAX_WIDTH) : Number.POSITIVE_INFINITY;
  const sections = page.filter(({ minColumns = 0 }) => columns === 0 || minColumns <= columns);
  const termWidths = new Map<string, number>();
  for (const block of sections.flatMap(({ blocks }) => blocks)) {
    if (block.kind !== 'rows') continue;
    const widths = block.rows.map(({ term }) => toText(term).length);
    termWidths.set(block.alignment, Math.max(termWidths.get(block.alignment) ?? 0, ...widths));
  }
  const renderer = { width, isStyled, toText, termWidths };
  return sections.map((section) => `${renderSection(section, renderer).join('\n')}\n`).join('\n');
}

interface Renderer {
  readonly width: number;
  readonly isStyled: boolean;
  readonly toText: (text: string) => string;
  /** Width of the column of terms, by alignment. */
  readonly termWidths: ReadonlyMap<string, number>;
}

function renderSection({ title, blocks }: HelpSection, renderer: Renderer): readonly string[] {
  const { width, toText } = renderer;
  const heading = title === undefined ? [] : wrapWords(toText(`${title}:`), width, length);
  return [
    ...heading.map((line) => applyStyle(line, BOLD, renderer)),
    ...blocks.flatMap((block) => renderBlock(block, renderer)),
  ];
}

function renderBlock(block: HelpBlock, renderer: Renderer): readonly string[] {
  switch (block.kind) {
    case 'prose':
      return wrapWords(renderer.toText(block.text), renderer.width, length);
    case 'text':
      return renderer
        .toText(block.text.trimEnd())
        .split('\n')
        .flatMap((line) => wrapWords(line, renderer.width, length));
    case 'command':
      return renderCommand(block, renderer);
    case 'rows':
      return block.rows.flatMap((row) => renderRow(row, block, renderer));
  }
}

function renderCommand(
  { command, comment }: CommandBlock,
  { width, toText }: Renderer,
): readonly string[] {
  const mark = `${INDENT}# `;
  const comments =
    comment === undefined
      ? []
      : indent(wrapWords(toText(comment), width - mark.length, length), mark);
  return [...comments, ...wrapForShell(toText(command), width)];
}

/** Wraps a command for its shell. PowerShell continues a line that ends with a pipe. */
function wrapForShell(command: string, width: number): readonly string[] {
  const line = INDENT + command;
  if (line.length <= width) return [line];
  if (!command.includes('Out-String'))
    return wrapCommand(command, width, length).flatMap((part) => wrapValue(part, width));
  const parts = command.split(/(?<=\|) /);
  return parts.map((part, at) => (at === 0 ? INDENT : INDENT + INDENT) + part);
}

/**
 * Wraps a line of a command with a value that is too long, without changing its meaning: with less
 * indentation, in JSON after commas, or in other values after commas with a backslash.
 */
function wrapValue(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line];
  const shorter = INDENT + line.trimStart();
  if (shorter.length <= width) return [shorter];
  const isJson = /'[[{]/.test(line);
  if (!isJson && /['"]/.test(line)) return [shorter];
  const [indentation, end] = isJson ? [INDENT, ''] : ['', '\\'];
  const pieces = shorter.match(/(?:"[^"]*"|[^,"])+,?/g) ?? [];
  const lines = joinPieces(pieces, width - end.length, indentation);
  return lines.map((part, at) => (at < lines.length - 1 ? part + end : part));
}

/**
 * Joins pieces of text into lines.
 * @param margin text before each line but the first
 */
function joinPieces(pieces: readonly string[], width: number, margin = ''): readonly string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    if (last !== undefined && (last + piece).length <= width)
      lines[lines.length - 1] = last + piece;
    else lines.push(last === undefined ? piece : margin + piece);
  }
  return lines;
}

function renderRow(row: HelpRow, { alignment }: RowsBlock, renderer: Renderer): readonly string[] {
  const { width, toText, termWidths } = renderer;
  const term = toText(row.term);
  const note = toText((row.notes ?? []).join(' '));
  const text = `${toText(row.text)} ${note}`.trim();
  const termLines = row.isCommand ? wrapForShell(term, width) : wrapTerm(term, width);
  if (text === '') return termLines;
  const left = INDENT + term.padEnd(termWidths.get(alignment) ?? 0) + GAP;
  const isBelow = width - left.length < MIN_COLUMN_WIDTH;
  const margin = isBelow ? marginOf(term) + INDENT : ' '.repeat(left.length);
  const room = width - margin.length;
  const wrapped = wrapWords(breakLongValues(text, room), room, length);
  const lines = dimEnd(wrapped, note.length, renderer);
  if (isBelow) return [...termLines, ...indent(lines, margin)];
  const [first = '', ...more] = lines;
  return [left + first, ...indent(more, margin)];
}

/** Wraps a term that is wider than the terminal, without the spaces that align it. */
function wrapTerm(term: string, width: number): readonly string[] {
  if (INDENT.length + term.length <= width) return [INDENT + term];
  const [first = '', ...more] = wrapWords(term.trim(), width - INDENT.length * 2, length);
  return [INDENT + first, ...indent(more, INDENT + INDENT)];
}

/** Puts spaces after commas of values that are wider than a line, where wrapping breaks them. */
function breakLongValues(text: string, width: number): string {
  return text.replace(/\S+/g, (word) =>
    word.length <= width ? word : joinPieces(word.split(/(?<=,)/), width).join(' '),
  );
}

/** Returns the spaces before a term, which may itself start with spaces. */
function marginOf(term: string): string {
  return INDENT + ' '.repeat(term.length - term.trimStart().length);
}

function indent(lines: readonly string[], margin: string): readonly string[] {
  return lines.map((line) => margin + line);
}

/** Prints the last characters of a wrapped text dim. Each line break replaced one space. */
function dimEnd(lines: readonly string[], characters: number, renderer: Renderer) {
  let left = characters;
  return lines
    .toReversed()
    .map((line) => {
      const start = Math.max(0, line.length - left);
      left = Math.max(0, left - line.length - 1);
      return line.slice(0, start) + applyStyle(line.slice(start), DIM, renderer);
    })
    .toReversed();
}

function applyStyle(text: string, style: string, { isStyled }: Renderer): string {
  return isStyled && text !== '' ? style + text + NORMAL : text;
}
