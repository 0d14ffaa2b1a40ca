import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quoteForShell } from '../../src/kernel/quote-for-shell.ts';
import { codePoint } from '../code-point.ts';

const text = fc.string({ unit: codePoint }).filter((one) => !one.includes('\0'));

it.each(['C', 'C.UTF-8'])('a quoted text is one word of bash with the locale %s', (locale) => {
  const texts = ['\u00a0', '\u200b1', 'a\u202eb', "it's\n", ...fc.sample(text, 500)];
  const script = texts.map((each) => `printf '%s\\0' ${quoteForShell(each)}`).join('\n');
  const env = { PATH: process.env['PATH'], LC_ALL: locale };
  const { stdout } = spawnSync('bash', ['-s'], { input: script, encoding: 'utf8', env });
  expect(stdout.split('\0').slice(0, -1)).toEqual(texts);
});
