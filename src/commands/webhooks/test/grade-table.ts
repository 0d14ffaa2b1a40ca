import type { Environment } from '../../../kernel/folders.ts';
import { escapeForTerminal } from '../../../kernel/safe-text.ts';
import type { View } from '../../../output/renderer.ts';
import type { Grade } from '../../../webhooks/grading/observation.ts';
import { marksFor } from '../../terminal/marks.ts';

/** Renders one line per case: verdict, expected behavior, and actual behavior. */
export function renderGrades(grades: readonly Grade[], view: View, environment: Environment): string {
  const { mark, paint } = marksFor(view, environment);
  const head: readonly string[] = ['CASE', 'EXPECTED', 'ACTUAL'];
  const rows = grades.map(({ case: name, expected, did }) => [name, expected, escapeForTerminal(did)]);
  const widths = [0, 1].map((column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  const blank = ' '.repeat(mark('ok').length);
  const lines = grades.map(({ verdict }, index) => `${paint(verdict, mark(verdict))}  ${line(rows[index] ?? [])}`);
  return `${[...(view.headers ? [`${blank}  ${line(head)}`] : []), ...lines].join('\n')}\n`;
}
