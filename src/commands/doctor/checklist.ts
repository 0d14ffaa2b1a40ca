import { Chalk } from 'chalk';
import type { Environment } from '../../kernel/folders.ts';
import { safeText } from '../../kernel/safe-text.ts';
import type { View } from '../../output/renderer.ts';
import type { Finding } from './check.ts';

type State = Finding['state'];

const MARKS: Readonly<Record<State, string>> = { ok: '✓', warn: '!', fail: '✗', skipped: '–' };

/** The findings as a list to go through: marks for a terminal that can draw them, words for everything else. */
export function checklist(findings: readonly Finding[], { isTerminal, color }: View, environment: Environment): string {
  const draws = isTerminal && !environment['ACCESSIBLE'] && environment['TERM'] !== 'dumb';
  const chalk = new Chalk({ level: color ? 1 : 0 });
  const paint: Readonly<Record<State, (text: string) => string>> = {
    ok: chalk.green,
    warn: chalk.yellow,
    fail: chalk.red,
    skipped: chalk.dim,
  };
  const words = draws ? MARKS : { ok: 'ok     ', warn: 'warn   ', fail: 'fail   ', skipped: 'skipped' };
  const width = Math.max(...findings.map(({ name }) => name.length));
  const margin = ' '.repeat(words.ok.length + 1 + width + 2);
  const lines = findings.flatMap(({ name, state, detail, fix }) => [
    `${paint[state](words[state])} ${name.padEnd(width)}  ${safeText(detail)}`,
    ...(fix === undefined ? [] : [`${margin}${paint[state]('fix:')} ${safeText(fix)}`]),
  ]);
  return `${lines.join('\n')}\n`;
}
