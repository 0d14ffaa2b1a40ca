import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc, { type GeneratorValue } from 'fast-check';
import { expect, it } from 'vitest';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';

interface DescribedCommand {
  readonly command: string;
  readonly commands?: readonly DescribedCommand[];
  readonly arguments: readonly unknown[];
  readonly flags?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly values?: readonly string[];
    readonly required: boolean;
  }[];
}

/** Commands that run until a signal, wait for something, need a terminal, open a browser, or delete everything. */
const EXCLUDED = /\b(?:serve|mcp|listen|tail|watch|wait|exec|setup|reset|open)\b/;

/** Values of flags. None is an absolute path, because commands may write to it. */
const VALUES = [
  '',
  '\u001b[31m',
  ...'acme d1 u1 -1 0 1e9 99999999999999999999 true null 💥 * {} [] {"a":1} . - --'.split(' '),
  ...'@users.json users.json svc.yaml no/file a,b a=b 2026-01-01 1h ftp://x __proto__ .[]'.split(
    ' ',
  ),
];

const leavesOf = ({ commands, ...leaf }: DescribedCommand): readonly DescribedCommand[] =>
  commands ? commands.flatMap(leavesOf) : EXCLUDED.test(leaf.command) ? [] : [leaf];

function chooseLine(choose: GeneratorValue, leaves: readonly DescribedCommand[]) {
  const leaf: DescribedCommand = choose(fc.constantFrom, ...leaves);
  const { command, arguments: operands, flags = [] } = leaf;
  const oneOf = (count: number) => choose(fc.nat, count - 1) === 0;
  const value = (known: readonly string[] = []) =>
    choose(fc.constantFrom, ...(oneOf(2) && known.length > 0 ? known : VALUES));
  const given = flags
    .filter(({ name }) => name !== '--watch')
    .filter(({ required }) => (required ? !oneOf(8) : oneOf(6)));
  return [
    ...command.split(' '),
    ...operands.flatMap(() => (oneOf(5) ? [] : [value()])),
    ...given.flatMap(({ name, value: kind, values }) =>
      kind === undefined ? [name] : [name, name === '--org' ? 'acme' : value(values)],
    ),
    ...(oneOf(8) ? [] : ['--local']),
    ...(oneOf(3) ? [] : ['--yes']),
    '-o',
    'json',
  ];
}

it('random command lines never reveal a bug, and their hints can be followed', SLOW, async () => {
  const user = await newUserInProcess();
  const leaves = leavesOf(JSON.parse((await user.svc(['commands', '-o', 'json'])).stdout));
  expect(leaves.length).toBeGreaterThan(80);
  await writeFile(join(user.home, 'users.json'), '[{"userId":"u1","name":"Ada"}]');
  await writeFile(join(user.home, 'svc.yaml'), 'svc: 1\n');
  await user.svc(['documents', 'add', '--local', '--org', 'acme', '--document', 'd1']);
  const followed = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (choose) => {
      const line = chooseLine(choose, leaves);
      const { code, stderr } = await user.svc(line);
      expect(code, stderr).not.toBe(1);
      expect(stderr).not.toMatch(/undefined|\[object |\bNaN\b/);
      const { next = [] } = tryParse(stderr)?.error ?? {};
      for (const { command } of next) {
        const key = command.join(' ').replace(/\S{30,}/g, '');
        // Hints may have placeholders, and this user has no jobs.
        if (/[<>]|\bjobs\b/.test(key) || EXCLUDED.test(key) || followed.has(key)) continue;
        followed.add(key);
        const run = await user.svc([...command.slice(1), '-o', 'json']);
        expect([1, 2], `${line.join(' ')}\n${key}\n${run.stderr}`).not.toContain(run.code);
      }
    }),
    { numRuns: repeats(400) },
  );
  expect(followed.size).toBeGreaterThan(30);
});

interface PrintedError {
  readonly error: { readonly next?: readonly { readonly command: readonly string[] }[] };
}

/** Returns the error in JSON, which may follow warnings. */
function tryParse(stderr: string): PrintedError | undefined {
  const line = stderr.split('\n').find((text) => text.startsWith('{"error"'));
  return line === undefined ? undefined : JSON.parse(line);
}
