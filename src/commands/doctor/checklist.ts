import type { Environment } from '../../kernel/folders.ts';
import { safeText } from '../../kernel/safe-text.ts';
import type { View } from '../../output/renderer.ts';
import { measureFor } from '../../output/width.ts';
import { wrapWords } from '../../output/wrap.ts';
import { marksFor } from '../terminal/marks.ts';
import type { Finding } from './check.ts';

/** With less room beside the names, what was found has lines of its own. */
const LEAST_ROOM = 24;

/** The findings as a list to go through, wrapped to the width of a terminal. */
export async function checklist(findings: readonly Finding[], view: View, environment: Environment): Promise<string> {
  const { mark, paint } = marksFor(view, environment);
  const indent = mark('ok').length + 1;
  const width = Math.max(...findings.map(({ name }) => name.length));
  const isNarrow = view.width ? view.width - indent - width - 2 < LEAST_ROOM : false;
  const margin = ' '.repeat(isNarrow ? indent : indent + width + 2);
  const measure = await measureFor(findings.map(({ detail, fix = '' }) => [safeText(detail), safeText(fix)]));
  const wrapped = (text: string, room = view.width) =>
    room ? wrapWords(safeText(text), room - margin.length, measure) : [safeText(text)];
  const lines = findings.flatMap(({ name, state, detail, fix }) => {
    const [first = '', ...more] = wrapped(detail);
    const [way, ...others] = fix === undefined ? [] : wrapped(fix, view.width && view.width - FIX.length);
    const below = [
      ...(isNarrow ? [first] : []),
      ...more,
      ...(way === undefined ? [] : [paint(state, FIX.trimEnd()) + FIX.slice(-1) + way]),
      ...others.map((line) => ' '.repeat(FIX.length) + line),
    ];
    const head = isNarrow ? name : `${name.padEnd(width)}  ${first}`;
    return [`${paint(state, mark(state))} ${head}`, ...below.map((line) => margin + line)];
  });
  return `${lines.join('\n')}\n`;
}

const FIX = 'fix: ';
