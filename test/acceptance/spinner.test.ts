import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { startMockService, success } from './mock-service.ts';
import { renderScreen } from './screen.ts';
import { BIN, newUser } from './svc.ts';
import { startInTerminal } from './terminal.ts';

const AGENTS = success({ agents: [{ id: 'a1', name: 'Helper' }] });
const ADDED = success({ u1: { success: true } });

/**
 * Creates a service that responds after a time, or when the promise is resolved, and a user of it.
 */
async function createSlowService(wait: number | Promise<void>) {
  const service = await startMockService(({ path }, response) => {
    void (typeof wait === 'number' ? sleep(wait) : wait).then(() => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify((path.includes('users') ? ADDED : AGENTS).body));
    });
    return undefined;
  });
  const user = await newUser();
  const host = new URL(service.env.SVC_BASE_URL).host;
  const env = { ...user.env, ...service.env };
  const inTerminal = (words: readonly string[], beside: Readonly<Record<string, string>> = {}) =>
    startInTerminal(process.execPath, [BIN, ...words], { env: { ...env, ...beside }, columns: 80 });
  return { ...user, host, env, inTerminal };
}

const READ = ['agents', 'list'];
const WRITE = ['users', 'add', '--org', 'acme', '--user', 'u1'];

describe('a slow call', () => {
  it('of any kind shows a spinner on a terminal and removes it at the end', SLOW, async () => {
    const expectSpinner = async (words: readonly string[], name: string) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const { inTerminal, host } = await createSlowService(promise);
      const { ended, raw, shows } = inTerminal(words);
      await shows(`⠋ ${name}: waiting for ${host}`);
      await shows(`⠙ ${name}: waiting for ${host}`);
      resolve();
      expect(await ended, words.join(' ')).toBe(0);
      const lines = renderScreen(raw(), 80);
      expect(lines.join('\n')).not.toContain('waiting');
      expect(lines[0]).not.toBe('');
    };
    await Promise.all([
      expectSpinner(READ, 'agents list'),
      expectSpinner(WRITE, 'users add'),
      expectSpinner(['api', '/v2/agents/get'], 'agents list'),
    ]);
  });

  it('shows one text while svc plan reads many records', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { inTerminal, home } = await createSlowService(promise);
    const file = join(home, 'agents.yaml');
    await writeFile(file, 'agents: [{ id: a1 }, { id: a2 }]');
    const { ended, raw, shows } = inTerminal(['plan', '-f', file]);
    await shows('⠋ plan: reading http');
    resolve();
    // The service answers with a list in place of each agent.
    expect(await ended).toBe(8);
    expect(renderScreen(raw(), 80).join('\n')).not.toContain('reading http');
  });

  it('shows a spinner while many pages arrive quickly', SLOW, async () => {
    let pages = 0;
    const service = await startMockService((_, response) => {
      void sleep(150).then(() => {
        pages += 1;
        const result = { status: 'success', message: 'ok', data: [{ id: `d${pages}` }] };
        const more = pages < 12 ? { pageToken: `t${pages}` } : {};
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ result: { ...result, ...more } }));
      });
      return undefined;
    });
    const user = await newUser();
    const words = [BIN, 'documents', 'list', '--org', 'acme', '--all'];
    const { ended, raw } = startInTerminal(process.execPath, words, {
      env: { ...user.env, ...service.env },
      columns: 80,
    });
    expect(await ended).toBe(0);
    expect(raw()).toContain('documents list: waiting for');
    expect(renderScreen(raw(), 80).join('\n')).not.toContain('waiting');
  });

  it('shows no spinner for a fast response, with -q, or in a pipe', SLOW, async () => {
    const [soon, late] = await Promise.all([createSlowService(50), createSlowService(900)]);
    const quick = soon.inTerminal(READ);
    const quiet = late.inTerminal([...READ, '-q']);
    const piped = late.svc(READ, { env: late.env });
    expect([await quick.ended, await quiet.ended, (await piped).code]).toEqual([0, 0, 0]);
    for (const shown of [quick.raw(), quiet.raw(), (await piped).stderr])
      expect(shown).not.toContain('waiting');
  });

  it('prints one permanent line with ACCESSIBLE', SLOW, async () => {
    const { inTerminal, host } = await createSlowService(3_600);
    const { ended, raw } = inTerminal(READ, { ACCESSIBLE: '1', NO_COLOR: '1' });
    expect(await ended).toBe(0);
    expect(raw().split('\r\n')[0]).toBe(`agents list: waiting for ${host}`);
    expect(raw().split('waiting')).toHaveLength(2);
    expect(raw()).not.toContain('\u001b[2K');
  });

  it('ends at Ctrl-C and removes the spinner', async () => {
    const { inTerminal } = await createSlowService(20_000);
    const { ended, raw, shows, type } = inTerminal(READ);
    await shows('waiting for');
    type('\u0003');
    expect(await ended).toBe(130);
    expect(renderScreen(raw(), 80).filter((line) => line !== '')).toEqual([
      expect.stringMatching(/^svc: /),
    ]);
  });

  it('prints the lines of --verbose above the spinner', async () => {
    const { inTerminal } = await createSlowService(700);
    const { ended, raw } = inTerminal([
      'documents',
      'migrate',
      '--org',
      'a',
      '--document',
      'd',
      '--new-document',
      'e',
      '-vy',
    ]);
    await ended;
    expect(renderScreen(raw(), 80)[0]).toMatch(/^POST http:\S+ 200 in \d+ ms$/);
  });
});
