import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { runAsUser, startAsUser, userEnvironment } from './documented.ts';
import { programInTerminal } from './terminal.ts';

/** How the commands of a block are run; what stands in a comment on the line before it. */
export type Way =
  | { readonly kind: 'plainly' }
  | { readonly kind: 'not'; readonly reason: string }
  /** Each line, until it says where it listens. */
  | { readonly kind: 'until stopped' }
  /** At a terminal, where it asks. */
  | { readonly kind: 'answering'; readonly question: string; readonly answer: string };

export interface Block {
  readonly line: number;
  readonly commands: string;
  readonly way: Way;
  /** With the profiles of the page, in place of `--local`. */
  readonly direct: boolean;
  /** What it says: a block of `text` that follows at once. */
  readonly output?: string;
}

/** The blocks of a page that are marked as `sh`. @throws for a comment that says no way to run one */
export function blocksOf(page: string): readonly Block[] {
  const blocks = page.matchAll(
    /^(?:<!-- (not run|run): (.+) -->\n)?```sh\n([\s\S]*?)^```$(?:\n\n```text\n([\s\S]*?)^```$)?/gm,
  );
  return Array.from(blocks, (match) => {
    const [whole, mark, text = '', commands = '', output] = match;
    const line = page.slice(0, match.index).split('\n').length + (mark === undefined ? 0 : 1);
    if (mark === 'not run') return { line, commands, way: { kind: 'not', reason: text }, direct: false };
    const direct = text.startsWith('with its profile');
    const way = wayOf(text.replace(/^with its profile(, )?/, ''), whole);
    return { line, commands, way, direct, ...(output !== undefined && { output }) };
  });
}

function wayOf(text: string, block: string): Way {
  if (text === '') return { kind: 'plainly' };
  if (text === 'until stopped') return { kind: 'until stopped' };
  const [, question, answer] = /^answering "(.+)" with "(.*)"$/.exec(text) ?? [];
  if (question === undefined || answer === undefined) throw new Error(`nobody knows how to run ${block}`);
  return { kind: 'answering', question, answer };
}

/** What a page's commands find: the prepared folder, and what stands for the names that pages give to things. */
export interface PageWorld {
  readonly folder: string;
  readonly apiKey: string;
  /** Of a service that the page's profiles lead to; what they name where no block needs one. */
  readonly url: string | undefined;
  /** In place of 3000, 3001 and 3002. */
  readonly ports: readonly number[];
  /** The variables of every command. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a block in a prepared folder, and expects it to end well. */
export async function runBlock({ line, commands, way, direct, output }: Block, world: PageWorld): Promise<void> {
  const { folder } = world;
  const env = { ...world.env, ...(direct && { DIRECT: '1' }) };
  const lines = await asOnThisMachine(commands, world);
  switch (way.kind) {
    case 'not':
      return;
    case 'plainly': {
      const ended = await runAsUser(lines, folder, env);
      endedWell(line, ended);
      if (output !== undefined) expect(withoutTimes(ended.talk)).toBe(withoutTimes(output));
      return;
    }
    case 'until stopped':
      for (const each of lines.split('\n').filter(Boolean)) {
        const running = startAsUser(`exec ${each}`, folder, env);
        await Promise.race([running.says('http://127.0.0.1:'), running.ended]);
        running.kill('SIGTERM');
        endedWell(line, await running.ended, [0, 143]);
      }
      return;
    case 'answering': {
      const asked = { ...userEnvironment(folder), ...env, CI: '', SHELL: '/bin/bash' };
      const screen = programInTerminal('bash', ['-e', '-c', lines], { env: asked, cwd: folder });
      await screen.shows(way.question);
      screen.type(`${way.answer}\r`);
      return endedWell(line, { code: await screen.ended, talk: screen.screen() });
    }
  }
}

function endedWell(line: number, { code, talk }: { code: number | null; talk: string }, codes = [0]): void {
  if (!codes.includes(code ?? -1)) expect.fail(`the commands on line ${line} ended with ${code}:\n${talk}`);
}

const withoutTimes = (text: string) => text.replaceAll(/\d+\.\d s\)/g, '0.1 s)');

const JOB = '20260131-094500-5f3a9c';

/** Commands with what is this machine's in place of what pages name: ports, the key, an address, a job, a delivery. */
async function asOnThisMachine(commands: string, world: PageWorld): Promise<string> {
  const { folder, apiKey, url, ports, env } = world;
  let lines = commands
    .replaceAll(/--api-key (?:K|my-key)\b/g, `--api-key ${apiKey}`)
    .replaceAll(/(?<=127\.0\.0\.1:|PORT=)300([012])\b/g, (_, at) => String(ports[Number(at)]))
    .replaceAll(/--port 8080\b/g, '--port 0');
  if (url !== undefined) lines = lines.replaceAll(/https:\/\/(?:api|live)\.example\.com/g, url);
  if (lines.includes(JOB)) {
    const { talk } = await runAsUser("svc jobs list --jq '.[0].id'", folder, env);
    lines = lines.replaceAll(JOB, talk.trim());
  }
  if (lines.includes('--headers headers.txt')) await saveDelivery(folder, /--at (\S+)/.exec(lines)?.[1] ?? '');
  return lines;
}

/** A delivery as somebody may have saved it, signed with the secret that lies there. */
export async function saveDelivery(folder: string, at: string): Promise<void> {
  const secret = (await readFile(join(folder, 'secret.txt'), 'utf8')).trim();
  const body = '{"event":"comment.add"}';
  const date = new Date(at);
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(date.getTime() / 1000),
    'webhook-signature': new Webhook(secret).sign('msg_1', date, body),
  };
  await writeFile(join(folder, 'body.json'), body);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  await writeFile(join(folder, 'headers.txt'), lines.join(''));
}

/** Three ports that nobody listens on. */
export async function freePorts(): Promise<readonly number[]> {
  const servers = [createServer(), createServer(), createServer()];
  await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
