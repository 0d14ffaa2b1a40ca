import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { listen } from '../listen.ts';
import { runLine, runLines, startAsUser, testUserEnvironment } from './documented.ts';
import { startInTerminal } from './terminal.ts';

/** Run mode of a block, from the comment on the line before it. */
export type RunMode =
  | { readonly kind: 'plainly' }
  | { readonly kind: 'not'; readonly reason: string }
  /** Run twice. With `otherPaths`, the service has more operations than the embedded one. */
  | { readonly kind: 'twice'; readonly otherPaths: boolean }
  /** Run each line until it prints its address. */
  | { readonly kind: 'until stopped' }
  /** Run in a terminal and answer a prompt, with a text or with the content of a file. */
  | {
      readonly kind: 'answering';
      readonly question: string;
      readonly answer: string;
      readonly isFile?: true;
    };

export interface Block {
  readonly line: number;
  readonly commands: string;
  readonly way: RunMode;
  /** Use the page's profiles instead of `--local`. */
  readonly direct: boolean;
  /** Expected output: a `text` block directly after the block. */
  readonly output?: string;
}

/** Parses the `sh` blocks of a page. @throws for a comment that names no run mode */
export function parseBlocks(page: string): readonly Block[] {
  const blocks = page.matchAll(
    /^(?:<!-- (not run|run): (.+) -->\n)?```sh\n([\s\S]*?)^```$(?:\n\n```text\n([\s\S]*?)^```$)?/gm,
  );
  const found = Array.from(blocks, (match): Block => {
    const [whole, mark, text = '', commands = '', output] = match;
    const line = page.slice(0, match.index).split('\n').length + (mark === undefined ? 0 : 1);
    if (mark === 'not run')
      return { line, commands, way: { kind: 'not', reason: text }, direct: false };
    const direct = text.startsWith('with its profile');
    const way = parseRunMode(text.replace(/^with its profile(, )?/, ''), whole);
    return { line, commands, way, direct, ...(output !== undefined && { output }) };
  });
  return [...found, ...parseTables(page)].toSorted((a, b) => a.line - b.line);
}

/** Parses the commands in tables after a comment, one for each cell that is a command. */
function parseTables(page: string): readonly Block[] {
  const tables = page.matchAll(/^<!-- run: the commands in the table -->\n((?:\|.*\n)+)/gm);
  return Array.from(tables, ({ index, 1: table = '' }) => ({
    line: page.slice(0, index).split('\n').length + 1,
    commands: Array.from(table.matchAll(/\| `(svc [^`]*)` \|/g), ([, line]) => `${line}\n`).join(
      '',
    ),
    way: { kind: 'plainly' },
    direct: false,
  }));
}

function parseRunMode(text: string, block: string): RunMode {
  if (text === '') return { kind: 'plainly' };
  if (text === 'twice') return { kind: 'twice', otherPaths: false };
  if (text === 'twice, with other paths') return { kind: 'twice', otherPaths: true };
  if (text === 'until stopped') return { kind: 'until stopped' };
  const [, question, file, answer] =
    /^answering "(.+)" with (the content of )?"(.*)"$/.exec(text) ?? [];
  if (question === undefined || answer === undefined)
    throw new Error(`nobody knows how to run ${block}`);
  return { kind: 'answering', question, answer, ...(file !== undefined && { isFile: true }) };
}

/**
 * Environment of a page's commands: the prepared folder, and replacements for names in the page.
 */
export interface PageEnvironment {
  readonly folder: string;
  readonly apiKey: string;
  /** URL of the service for the page's profiles; undefined if no block needs one. */
  readonly url: string | undefined;
  /** A second URL of it: profiles with the same base URL and key share their protections. */
  readonly liveUrl: string | undefined;
  /** Replacements for 3000, 3001, and 3002. */
  readonly ports: readonly number[];
  /** Environment variables of every command. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a block in a prepared folder and asserts that it succeeds. */
export async function runBlock(
  { line, commands, way, direct, output }: Block,
  world: PageEnvironment,
): Promise<void> {
  const { folder } = world;
  const env = { ...world.env, ...(direct && { DIRECT: '1' }) };
  const lines = await substituteExamples(commands, world);
  switch (way.kind) {
    case 'not':
      return;
    case 'plainly': {
      const ended = await runLines(lines, folder, env);
      expectSuccess(line, ended);
      if (output !== undefined) expect(normalizeTimes(ended.output)).toBe(normalizeTimes(output));
      return;
    }
    case 'twice': {
      const other = way.otherPaths ? await startOtherPaths() : {};
      for (const command of [...lines.split('\n'), ...lines.split('\n')])
        expectSuccess(line, await runLines(command, folder, { ...env, ...other }));
      return;
    }
    case 'until stopped':
      for (const each of lines.split('\n').filter(Boolean)) {
        const running = startAsUser(`exec ${each}`, folder, env);
        await Promise.race([running.prints('http://127.0.0.1:'), running.ended]);
        running.kill('SIGTERM');
        expectSuccess(line, await running.ended, [0, 143]);
      }
      return;
    case 'answering': {
      const asked = { ...testUserEnvironment(folder), ...env, CI: '', SHELL: '/bin/bash' };
      const screen = startInTerminal('bash', ['-e', '-c', lines], { env: asked, cwd: folder });
      await screen.shows(way.question);
      const answer = way.isFile ? await readFile(join(folder, way.answer), 'utf8') : way.answer;
      screen.type(`${answer.trimEnd()}\r`);
      return expectSuccess(line, { code: await screen.ended, output: screen.screen() });
    }
  }
}

/** Results of operations that the embedded service does not have, by path. */
const OTHER_RESULTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['/v2/workspace/domains/add', {}],
  ['/v2/commentannotations/add', { annotationId: 'smoke-test' }],
  ['/v2/commentannotations/delete', { 'smoke-test': { success: true } }],
  ['/v2/users/data/delete', { jobId: 'j1' }],
  ['/v2/users/data/delete/status', { isDeleteCompleted: true, tasksLeft: 0 }],
]);

/** Starts a service with operations that have no command. Returns the variables that select it. */
async function startOtherPaths(): Promise<Readonly<Record<string, string>>> {
  const server = createHttpServer((request, response) => {
    const data = OTHER_RESULTS.get(request.url ?? '');
    const result = { status: 'success', message: 'Done.', data };
    request.resume();
    response.statusCode = data === undefined ? 404 : 200;
    response.end(JSON.stringify({ result }));
  });
  const url = `http://${await listen(server)}`;
  return { DIRECT: '1', SVC_BASE_URL: url, SVC_API_KEY: 'key-1', SVC_AUTH_TOKEN: 'token-1' };
}

function expectSuccess(
  line: number,
  { code, output }: { code: number | null; output: string },
  codes = [0],
): void {
  if (!codes.includes(code ?? -1))
    expect.fail(`the commands on line ${line} ended with ${code}:\n${output}`);
}

const normalizeTimes = (text: string) => text.replaceAll(/\d+\.\d s\)/g, '0.1 s)');

const JOB = '20260131-094500-5f3a9c';

/**
 * Replaces example values in commands with real ones: ports, the key, an address, a job, a
 * delivery.
 */
async function substituteExamples(commands: string, world: PageEnvironment): Promise<string> {
  const { folder, apiKey, url, liveUrl, ports, env } = world;
  let lines = commands
    .replaceAll(/--api-key (?:K|my-key|audit-key)\b/g, `--api-key ${apiKey}`)
    .replaceAll(/(?<=127\.0\.0\.1:|PORT=)300([012])\b/g, (_, at) => String(ports[Number(at)]))
    .replaceAll(/--port 8080\b/g, '--port 0');
  if (url !== undefined) lines = lines.replaceAll('https://api.example.com', url);
  if (liveUrl !== undefined) lines = lines.replaceAll('https://live.example.com', liveUrl);
  if (lines.includes(JOB)) {
    const { output } = await runLine("svc jobs list --jq '.[0].id'", folder, env);
    lines = lines.replaceAll(JOB, output.trim());
  }
  if (lines.includes('--headers headers.txt'))
    await saveDelivery(folder, /--at (\S+)/.exec(lines)?.[1] ?? '');
  return lines;
}

/** Saves a delivery, signed with the secret in the folder. */
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

/** Returns three free ports. */
export async function findFreePorts(): Promise<readonly number[]> {
  const servers = [createServer(), createServer(), createServer()];
  await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
