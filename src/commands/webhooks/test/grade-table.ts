import type { Environment } from '../../../kernel/folders.ts';
import { safeText } from '../../../kernel/safe-text.ts';
import type { View } from '../../../output/renderer.ts';
import type { Grade } from '../../../webhooks/grading/judge.ts';
import { marksFor } from '../../terminal/marks.ts';

/** A line a case: how it came out, what the receiver should have done, and what it did. */
export function gradeTable(grades: readonly Grade[], view: View, environment: Environment): string {
  const { mark, paint } = marksFor(view, environment);
  const head: readonly string[] = ['CASE', 'EXPECTED', 'DID'];
  const rows = grades.map(({ case: name, expected, did }) => [name, expected, safeText(did)]);
  const widths = [0, 1].map((column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  const blank = ' '.repeat(mark('ok').length);
  const lines = grades.map(({ verdict }, index) => `${paint(verdict, mark(verdict))}  ${line(rows[index] ?? [])}`);
  return `${[...(view.headers ? [`${blank}  ${line(head)}`] : []), ...lines].join('\n')}\n`;
}
