import { describe, expect, it } from 'vitest';
import { report } from '../../../src/commands/terminal/report.ts';
import { SvcError } from '../../../src/kernel/errors.ts';
import { fakeContext } from '../fake-context.ts';

async function told(words: readonly string[], environment = {}): Promise<string> {
  const { io, stderr } = await fakeContext();
  expect(await report(io, words, environment, new SvcError('usage', 'no'))).toBe(2);
  return stderr().slice(0, 3);
}

describe('report', () => {
  it.each([['-o', 'json'], ['-ojson'], ['-qvojson'], ['--output=json'], ['-otable', '-ondjson'], ['-pprod', '-ojson']])(
    'reads the format as the command line does: %s %s',
    async (...words) => {
      expect(await told(['users', 'add', ...words])).toBe('{"e');
    },
  );

  it.each([['-pojson'], ['--', '-ojson'], ['-otable']])('and takes no other word for it: %s %s', async (...words) => {
    expect(await told(['users', 'add', ...words])).toBe('svc');
  });

  it('goes by the environment where no flag says it', async () => {
    expect(await told([], { SVC_OUTPUT: 'json' })).toBe('{"e');
    expect(await told(['-otable'], { SVC_OUTPUT: 'json' })).toBe('svc');
  });
});
