import { wrapWords } from '../../output/wrap.ts';
import { wrapCommand } from '../../output/wrap-command.ts';
import type { GlobalOptions, ProcessEnvironment } from '../context.ts';
import { shouldUseColor, toTerminalText } from '../terminal/terminal.ts';
import { NARROW_START_SCREEN, START_SCREEN } from './root-help.ts';

const START_SCREEN_WIDTH = 80;

/**
 * Adapts help to the terminal. Without a terminal, prints the text unchanged, except for forced
 * color.
 */
export async function printHelp(
  text: string,
  { io: { stdout }, environment }: Pick<ProcessEnvironment, 'io' | 'environment'>,
  color: GlobalOptions['color'] = 'auto',
): Promise<void> {
  const { columns = Number.POSITIVE_INFINITY } = stdout;
  const helpText =
    text === START_SCREEN && columns < START_SCREEN_WIDTH ? NARROW_START_SCREEN : text;
  const lines = reflow(toTerminalText(helpText, stdout, environment), stdout.columns);
  await stdout.write(shouldUseColor(color, stdout, environment) ? styleHelp(lines) : lines);
}

const BOLD = '\u001b[1m';
const DIM = '\u001b[2m';
const NORMAL = '\u001b[22m';
/** A heading such as `Flags:`, possibly wrapped, before an indented line. */
const HEADING = /(?<=^|\n\n)\S[^\n]*(?:\n\S[^\n]*)*:(?=\n {2,}\S)/g;
const DEFAULT = /\(default:\s[^()]*\)/g;

/**
 * Adds bold headings and dim default values to wrapped help. Without colors, help fits light and
 * dark themes.
 */
export function styleHelp(text: string): string {
  const styled = (part: string, style: string) =>
    part.replace(/\S.*$/gm, (line) => style + line + NORMAL);
  return text
    .replace(HEADING, (part) => styled(part, BOLD))
    .replace(DEFAULT, (part) => styled(part, DIM));
}

/** A line of two columns: a term and its explanation. */
const ROW = /^(?<left>(?<margin> +)\S.*? {2,})(?<right>\S.*)$/;
const COMMENT = /^(?<left> +# )(?<right>.*)$/;
/**
 * Minimum width of the explanation column. In a narrower terminal, explanations go below their
 * terms.
 */
const MIN_COLUMN_WIDTH = 24;
const MAX_WIDTH = 100;
const length = (text: string) => text.length;

/**
 * Wraps help text to the width of a terminal. Keeps columns aligned. Wrapped commands can still be
 * pasted.
 */
export function reflow(text: string, columns: number | undefined): string {
  if (!columns) return text;
  const width = Math.min(columns, MAX_WIDTH);
  return text
    .split('\n')
    .flatMap((line) => reflowLine(line, width))
    .join('\n');
}

function reflowLine(line: string, width: number): readonly string[] {
  if (/^\S/.test(line)) return wrapWords(line, width, length);
  const comment = COMMENT.exec(line)?.groups;
  if (comment) return wrapIndented(comment['right'] ?? '', comment['left'] ?? '', width);
  const { left = '', margin = '', right = '' } = ROW.exec(line)?.groups ?? {};
  if (right === '') return reflowTerm(line, width);
  if (width - left.length < MIN_COLUMN_WIDTH)
    return [...reflowTerm(left.trimEnd(), width), ...wrapIndented(right, `${margin}  `, width)];
  const [first = '', ...more] = wrapIndented(right, ' '.repeat(left.length), width);
  return [left + first.trimStart(), ...more];
}

/** Wraps a command for a POSIX shell. Does not wrap flags and commands for PowerShell. */
function reflowTerm(line: string, width: number): readonly string[] {
  const isCommand = /^ {2}\S.* /.test(line) && !/^ +-/.test(line) && !line.includes('Out-String');
  return isCommand && line.length > width ? wrapCommand(line.trim(), width, length) : [line];
}

function wrapIndented(text: string, margin: string, width: number): readonly string[] {
  return wrapWords(text, width - margin.length, length).map((line) => margin + line);
}
