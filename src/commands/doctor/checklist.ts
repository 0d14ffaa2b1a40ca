import type { Environment } from '../../kernel/folders.ts';
import { safeText } from '../../kernel/safe-text.ts';
import type { View } from '../../output/renderer.ts';
import { marksFor } from '../marks.ts';
import type { Finding } from './check.ts';

/** The findings as a list to go through. */
export function checklist(findings: readonly Finding[], view: View, environment: Environment): string {
  const { mark, paint } = marksFor(view, environment);
  const width = Math.max(...findings.map(({ name }) => name.length));
  const margin = ' '.repeat(mark('ok').length + 1 + width + 2);
  const lines = findings.flatMap(({ name, state, detail, fix }) => [
    `${paint(state, mark(state))} ${name.padEnd(width)}  ${safeText(detail)}`,
    ...(fix === undefined ? [] : [`${margin}${paint(state, 'fix:')} ${safeText(fix)}`]),
  ]);
  return `${lines.join('\n')}\n`;
}
