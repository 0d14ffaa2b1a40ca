import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/commands/line/command-line.ts';
import { SvcError } from '../../src/kernel/errors.ts';
import { fakeContext } from './fake-context.ts';

/** Runs a command whose stdin never ends, and sends Ctrl-C as soon as the command reads it. */
async function left(words: readonly string[]): Promise<unknown> {
  const { io, ...context } = await fakeContext();
  await writeFile(join(context.cwd, 'headers.txt'), 'webhook-id: msg_1\n');
  await writeFile(join(context.cwd, 'secret.txt'), `whsec_${randomBytes(24).toString('base64')}\n`);
  const controller = new AbortController();
  const reason = new SvcError('interrupted', 'stopped by Ctrl-C');
  let isRead = false;
  const stream = new Readable({
    read() {
      if (isRead) return;
      isRead = true;
      this.push('x');
      setImmediate(() => controller.abort(reason));
    },
  });
  const stdin = { isTerminal: false, stream };
  const named = words.map((word) => (word.endsWith('.txt') ? join(context.cwd, word) : word));
  const failure = await runCommandLine(named, {
    ...context,
    io: { ...io, stdin },
    signal: controller.signal,
  }).then(
    () => undefined,
    (error: unknown) => error,
  );
  return isRead ? failure : ['nobody read it', failure];
}

describe('an endless stdin', () => {
  it.each([
    ['access-tokens inspect -'],
    ['api /v2/agents/get --local --data -'],
    ['agents list --local --data -'],
    ['crdt update --local --org o --document d --editor e --type text --yes --content -'],
    ['email update --local --type custom --api-key-stdin'],
    ['profiles add prod --base-url https://api.example.com --api-key k --auth-token-stdin'],
    ['webhooks verify --body - --headers headers.txt --secret-file secret.txt'],
    ['users add --local --org acme --file - --input-format csv'],
    ['local import -'],
  ])('is abandoned on Ctrl-C by svc %s', async (line) => {
    expect(await left(line.split(' '))).toMatchObject({ failure: 'interrupted' });
  });
});
