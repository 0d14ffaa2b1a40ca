import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { Flag } from '../../../src/catalog/flags.ts';
import { parseFlagValue } from '../../../src/commands/call/flag-values.ts';
import { createEquivalentStep, ENTRY } from '../../../src/commands/webhooks/setup-operation.ts';
import { commandLineOf } from '../../../src/kernel/errors.ts';
import { wrapCommand } from '../../../src/output/message-text.ts';
import { codePoint } from '../../code-point.ts';
import { SLOW } from '../../slow.ts';
import { webUrl } from '../../web-url.ts';
import { fakeContext } from '../fake-context.ts';

const formatEquivalentCommand = (...given: Parameters<typeof createEquivalentStep>) =>
  commandLineOf(createEquivalentStep(...given));

const text = fc.string({ unit: codePoint, minLength: 1 }).filter((one) => !one.includes('\0'));
const word = fc.stringMatching(/^[\w.-]+$/);
const endpoint = fc.record(
  {
    url: webUrl,
    description: text,
    filterTypes: fc.array(word, { minLength: 1 }),
    channels: fc.array(word, { minLength: 1 }),
    disabled: fc.boolean(),
    rateLimit: fc.integer({ min: 1, max: 65_535 }),
    metadata: fc.dictionary(text, text, { minKeys: 1 }),
  },
  { requiredKeys: ['url'] },
);

/** A word that no sample contains. */
const END = 'end of the line';

/** The words that a shell makes of several lines, each of them a list. */
function shellWords(lines: readonly string[]): readonly (readonly string[])[] {
  const script = lines
    .map((line) => `svc() { printf '%s\\0' "$@"; printf '${END}\\0'; }; ${line}`)
    .join('\n');
  const { stdout } = spawnSync('bash', ['-s'], { input: script, encoding: 'utf8', maxBuffer: 1e9 });
  const lists = stdout
    .split(`\0${END}\0`)
    .slice(0, -1)
    .map((list) => `${list}\0`);
  return lists.map((list) => list.split('\0').slice(0, -1));
}

/** Parses the words of a command into the value of each flag. */
function dataOf(words: readonly string[], flags: readonly Flag[]): unknown {
  const data: Record<string, unknown> = {};
  const world = { now: 0, warn: () => undefined };
  const texts = new Map<Flag, string[]>();
  for (let at = 3; at < words.length; at += 1) {
    const name = (words[at] ?? '').replace(/^--/, '');
    if (name === 'data') return JSON.parse(words[at + 1] ?? '');
    const flag = flags.find((one) => one.name === name || `no-${one.name}` === name);
    if (!flag) throw new Error(`no flag ${name}`);
    if (flag.kind === 'boolean') data[flag.path[0] ?? ''] = flag.name === name;
    else {
      at += 1;
      texts.set(flag, [...(texts.get(flag) ?? []), words[at] ?? '']);
    }
  }
  for (const [flag, given] of texts) data[flag.path[0] ?? ''] = parseFlagValue(flag, given, world);
  return data;
}

describe('the equivalent command of a setup', () => {
  it('produces the same data for any input', SLOW, async () => {
    const context = await fakeContext();
    const samples = fc.sample(endpoint, 400);
    const lines = samples.map((data) =>
      formatEquivalentCommand(context, data, { arguments: [], options: {} }),
    );
    const said = shellWords(lines).map((words) => dataOf(words, ENTRY.flags));
    expect(said).toEqual(samples.map((data) => JSON.parse(JSON.stringify(data))));
  });

  it('is the same command after it is wrapped for a terminal of any width', SLOW, async () => {
    const context = await fakeContext();
    const samples = fc.sample(fc.tuple(endpoint, fc.integer({ min: 1, max: 120 })), 300);
    const lines = samples.map(([data]) =>
      formatEquivalentCommand(context, data, {
        arguments: [],
        options: { allowUnknownEvent: true },
      }),
    );
    const wrapped = lines.map((line, at) =>
      wrapCommand(line, samples[at]?.[1] ?? 0, stringWidth).join('\n'),
    );
    expect(shellWords(wrapped)).toEqual(shellWords(lines));
    expect(lines.every((line) => line.endsWith(' --allow-unknown-event'))).toBe(true);
  });

  it('never contains a secret, because the operation takes none', () => {
    expect(ENTRY.flags.map(({ kind }) => kind)).not.toContain('secret');
  });
});
