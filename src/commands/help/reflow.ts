import { wrapWords } from '../../output/wrap.ts';

/** A line of two columns: what is explained, and behind a gap what it is. */
const ROW = /^(?<left>(?<margin> +)\S.*? {2,})(?<right>\S.*)$/;

/** What an example is for. */
const COMMENT = /^(?<left> +# )(?<right>.*)$/;

/** Columns that an explanation keeps at least; where there are fewer, each stands below what it explains. */
const LEAST_ROOM = 24;

/** The widest that lines of text are easy to read. */
const WIDEST = 100;

const length = (text: string) => text.length;

/**
 * Help in lines that fit a terminal of so many columns: sentences are wrapped, and what explains something stays beside
 * it. Commands, which may be copied, stay whole; and so does everything where there is no terminal.
 */
export function reflow(text: string, columns: number | undefined): string {
  if (!columns) return text;
  const width = Math.min(columns, WIDEST);
  return text
    .split('\n')
    .flatMap((line) => reflowed(line, width))
    .join('\n');
}

function reflowed(line: string, width: number): readonly string[] {
  if (/^\S/.test(line)) return wrapWords(line, width, length);
  const comment = COMMENT.exec(line)?.groups;
  if (comment) return indented(comment['right'] ?? '', comment['left'] ?? '', width);
  const { left = '', margin = '', right = '' } = ROW.exec(line)?.groups ?? {};
  if (right === '') return [line];
  if (width - left.length < LEAST_ROOM) return [left.trimEnd(), ...indented(right, `${margin}  `, width)];
  const [first = '', ...more] = indented(right, ' '.repeat(left.length), width);
  return [left + first.trimStart(), ...more];
}

function indented(text: string, margin: string, width: number): readonly string[] {
  return wrapWords(text, width - margin.length, length).map((line) => margin + line);
}
