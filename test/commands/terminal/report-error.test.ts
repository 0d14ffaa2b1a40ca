import { constants } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { reportError } from '../../../src/commands/terminal/report-error.ts';
import { SvcError } from '../../../src/kernel/errors.ts';
import { SLOW } from '../../slow.ts';
import { fakeContext } from '../fake-context.ts';

async function firstBytes(words: readonly string[], environment = {}): Promise<string> {
  const { io, stderr } = await fakeContext();
  expect(await reportError(io, words, environment, new SvcError('usage', 'no'))).toBe(2);
  return stderr().slice(0, 3);
}

describe('reportError', () => {
  it.each([
    ['-o', 'json'],
    ['-ojson'],
    ['-qvojson'],
    ['--output=json'],
    ['-otable', '-ondjson'],
    ['-pprod', '-ojson'],
  ])('reads the format as the command line does: %s %s', async (...words) => {
    expect(await firstBytes(['users', 'add', ...words])).toBe('{"e');
  });

  it.each([['-pojson'], ['--', '-ojson'], ['-otable']])(
    'ignores other words: %s %s',
    async (...words) => {
      expect(await firstBytes(['users', 'add', ...words])).toBe('svc');
    },
  );

  it('does not report a text that is too long as a bug', SLOW, async () => {
    const makeTooLong = [
      () => 'x'.repeat(2 ** 30),
      () => Buffer.allocUnsafeSlow(constants.MAX_STRING_LENGTH + 1).toString('latin1'),
    ];
    for (const make of makeTooLong) {
      const { io, stderr } = await fakeContext();
      const thrown = await (async () => make())().catch((error: unknown) => error);
      expect(await reportError(io, [], {}, thrown)).toBe(12);
      expect(stderr()).toMatch(/^svc: the text is longer than 536 million characters/);
    }
  });

  it('uses the environment variable without a flag', async () => {
    expect(await firstBytes([], { SVC_OUTPUT: 'json' })).toBe('{"e');
    expect(await firstBytes(['-otable'], { SVC_OUTPUT: 'json' })).toBe('svc');
  });
});
