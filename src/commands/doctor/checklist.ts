import type { Environment } from '../../kernel/folders.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import type { View } from '../../output/renderer.ts';
import { createMeasure } from '../../output/width.ts';
import { wrapWords } from '../../output/wrap.ts';
import { createMarks } from '../terminal/marks.ts';
import type { DoctorFinding } from './check.ts';

/** Minimum width of the details column. In a narrower terminal, details go below the names. */
const MIN_DETAIL_WIDTH = 24;

export async function formatChecklist(
  allFindings: readonly DoctorFinding[],
  view: View,
  environment: Environment,
): Promise<string> {
  const findings = joinSkipped(allFindings);
  const { mark, colorize } = createMarks(view, environment);
  const indent = mark('ok').length + 1;
  const width = Math.max(...findings.map(({ name }) => name.length));
  const isNarrow = view.width ? view.width - indent - width - 2 < MIN_DETAIL_WIDTH : false;
  const margin = ' '.repeat(isNarrow ? indent : indent + width + 2);
  const measure = await createMeasure(
    findings.map(({ detail, fix = '' }) => [escapeForTerminal(detail), escapeForTerminal(fix)]),
  );
  const wrapped = (text: string, available = view.width) =>
    available ? wrapWords(escapeForTerminal(text), available - margin.length, measure) : [escapeForTerminal(text)];
  const lines = findings.flatMap(({ name, state, detail, fix }) => {
    const [first = '', ...more] = wrapped(detail);
    const [firstFixLine, ...moreFixLines] = fix === undefined ? [] : wrapped(fix, view.width && view.width - FIX.length);
    const below = [
      ...(isNarrow ? [first] : []),
      ...more,
      ...(firstFixLine === undefined ? [] : [colorize(state, FIX.trimEnd()) + FIX.slice(-1) + firstFixLine]),
      ...moreFixLines.map((line) => ' '.repeat(FIX.length) + line),
    ];
    const head = isNarrow ? name : `${name.padEnd(width)}  ${first}`;
    return [`${colorize(state, mark(state))} ${head}`, ...below.map((line) => margin + line)];
  });
  return `${lines.join('\n')}\n`;
}

/** Joins checks that were skipped for the same reason, at the position of the first. */
function joinSkipped(findings: readonly DoctorFinding[]): readonly DoctorFinding[] {
  const isSkipped = ({ state }: DoctorFinding) => state === 'skipped';
  const byCause = Map.groupBy(findings.filter(isSkipped), ({ detail }) => detail);
  return findings.flatMap((finding) => {
    const { detail } = finding;
    const names = (isSkipped(finding) && byCause.get(detail)?.map(({ name }) => name)) || [];
    if (names.length < 2) return [finding];
    const joined = { ...finding, name: `${names.length} checks`, detail: `${detail}: ${names.join(', ')}` };
    return names[0] === finding.name ? [joined] : [];
  });
}

const FIX = 'fix: ';
