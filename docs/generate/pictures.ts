import { spawn as spawnProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { createService } from '../../src/index.ts';
import { terminalPicture } from './terminal-picture.ts';
import { type Answer, KILL, typeAnswers } from './type-answers.ts';

const PROGRAM = resolve('bin/svc.js');

/** A folder that is the home of one picture's commands, and the variables of its commands. */
interface Stage {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The pictures of README.md and the guides by their paths, made by running the tool. */
export async function pictures(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['docs/pictures/bulk-resume.svg', await onStage(bulkResume)],
    ['docs/pictures/webhooks-setup.svg', await onStage(webhooksSetup)],
    ['docs/pictures/webhooks-test.svg', await onStage(webhooksTest)],
    ['docs/pictures/backend-in-a-box.svg', await onStage(backendInABox)],
    ['docs/pictures/token-reset.svg', await onStage(tokenReset)],
  ]);
}

async function onStage(draw: (stage: Stage) => Promise<string>): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'svc-pictures-'));
  try {
    await cp('examples', home, { recursive: true });
    return await draw({
      home,
      env: {
        HOME: home,
        PATH: process.env['PATH'] ?? '',
        TERM: 'xterm-256color',
        LANG: 'C.UTF-8',
        SVC_HISTORY: '0',
      },
    });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

const prompt = (line: string) => `\u001b[32m$\u001b[0m \u001b[1m${line}\u001b[0m\r\n`;

/** Runs a command in a terminal, types the answers, and returns what it wrote. */
async function inTerminal(
  { home, env }: Stage,
  words: readonly string[],
  columns: number,
  answers: readonly Answer[] = [],
): Promise<string> {
  const command = {
    program: process.execPath,
    words: [PROGRAM, ...words],
    cwd: home,
    env,
    columns,
  };
  return steady(await typeAnswers(command, answers));
}

/**
 * Replaces what differs between runs: IDs of jobs and endpoints, secrets, tokens, ports, and times.
 */
function steady(written: string): string {
  return written
    .replace(/\d{8}-\d{6}-[0-9a-f]{6}/g, '20260304-140000-5f3a9c')
    .replace(/ep_[0-9A-Za-z]{27}/g, 'ep_2x7cVq0TnZ5mKp9dLr4sYw1uHb8')
    .replace(/whsec_[0-9A-Za-z+/=]{32}/g, 'whsec_hKfMDWdxL2Xk4b1nPq7vRz9sYt3cJm0a')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:3000')
    .replace(/\b\d+ ms\b/g, '4 ms')
    .replace(/[\d,.]+\/s {2}[\d.]+ m?s left/g, '920/s  2.9 s left')
    .replace(/\(\d+(\.\d+)? s\)/g, '(1.0 s)')
    .replace(/, \d+(\.\d+)? s\)/g, ', 0.4 s)')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{6}\b/g, '8c21f0aa-4be7d1')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '2026-03-04T14:00:00Z')
    .replace(/(newAuthToken\.token[^\n]*?)[\w-]{32}/g, '$1tok4Qm8Xr1Zc6Vb9Nk3Ls7Wd2Ht5Jf0P')
    .replace(/\*{4}[\w-]{4}/g, '****Jf0P')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'd3b07384-d9a0-4e5c-8f3e-2a6b4c1d9e70')
    .replace(/[0-9a-f]{32,64}/g, (token) =>
      '7d41c0b2a9e84f1388d6'.repeat(4).slice(0, token.length),
    );
}

const RECORDS = 5_000;
/** The request that gets no answer, at 100 users a request. */
const HELD = 24;
const HELD_AT = '46% 2,300 of 5,000 users';

/** A bulk import that is killed while the service holds its 24th answer, and resumed. */
async function bulkResume(stage: Stage): Promise<string> {
  const columns = 100;
  const rows = Array.from(
    { length: RECORDS },
    (_, at) => `user-${at},User ${at},user-${at}@example.com`,
  );
  await writeFile(join(stage.home, 'users.csv'), `userId,name,email\n${rows.join('\n')}\n`);
  const service = await createService();
  let requests = 0;
  const proxy = createServer(async (request, response) => {
    requests += 1;
    if (requests === HELD) return;
    const answer = await service.fetch(`http://localhost${request.url}`, {
      method: 'POST',
      headers: Object.entries(request.headers).flatMap(([name, value]) =>
        name === 'host' || name === 'connection' ? [] : [[name, String(value)] as [string, string]],
      ),
      body: await text(request),
    });
    response
      .writeHead(answer.status, { 'content-type': 'application/json' })
      .end(await answer.text());
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { apiKey, authToken } = service.client;
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const env = { ...stage.env, SVC_BASE_URL: url, SVC_API_KEY: apiKey, SVC_AUTH_TOKEN: authToken };
  const connected = { ...stage, env };
  const add = ['users', 'add', '--org', 'acme', '--file', 'users.csv', '--concurrency', '1'];
  const list = ['jobs', 'list', '--fields', 'id,state,total,succeeded'];
  try {
    const killed = await inTerminal(connected, add, columns, [[HELD_AT, KILL]]);
    const id = await jobId(connected);
    const resume = ['jobs', 'resume', id];
    const written = [
      prompt(`svc ${add.join(' ')}`),
      killed,
      '\r\nKilled  \u001b[2m# kill -9 in another terminal\u001b[0m\r\n',
      prompt(`svc ${list.join(' ')}`),
      await inTerminal(connected, list, columns),
      prompt(steady(`svc ${resume.join(' ')}`)),
      await inTerminal(connected, resume, columns),
    ];
    return await terminalPicture(
      written.join(''),
      columns,
      'A bulk import is killed at 46% and resumed: no record is lost.',
    );
  } finally {
    proxy.closeAllConnections();
    proxy.close();
    await service.close();
  }
}

async function jobId({ home, env }: Stage): Promise<string> {
  const child = spawnProcess(process.execPath, [PROGRAM, 'jobs', 'list', '-o', 'json'], {
    cwd: home,
    env,
  });
  const [{ id }] = JSON.parse(await text(child.stdout)) as [{ id: string }];
  return id;
}

/** The dialog that creates a webhook endpoint: its questions, and the signing secret. */
async function webhooksSetup(stage: Stage): Promise<string> {
  const columns = 88;
  const answers: readonly Answer[] = [
    ['Enable them when creating the endpoint?', '\r'],
    ['Endpoint URL', 'https://hooks.example.com/collab\r'],
    ['Send a test request to this URL?', '\r'],
    ['Continue with all events', '\r'],
    ['Create it?', '\r'],
  ];
  const written = await inTerminal(stage, ['webhooks', 'setup', '--local'], columns, answers);
  return terminalPicture(
    prompt('svc webhooks setup --local') + written,
    columns,
    'A dialog sets up a webhook and shows its signing secret.',
    [
      ['Request', '[3/3] Create it?'],
      ['ep_', '╭'],
    ],
  );
}

/** A receiver with mistakes, tested with the deliveries that it will meet. */
async function webhooksTest(stage: Stage): Promise<string> {
  const columns = 104;
  const secret = join(stage.home, 'secret.txt');
  await writeFile(secret, 'whsec_plJ3nmyCDGBKInavdOK15jsl\n');
  const receiver = spawnProcess(process.execPath, ['receivers/faulty.mjs'], {
    cwd: stage.home,
    env: { ...stage.env, FAULT: 'ignores-timestamp', SECRET_FILE: secret, PORT: '0' },
  });
  const [line] = (await once(receiver.stdout, 'data')) as [Buffer];
  const url = /http:\S+/.exec(String(line))?.[0] ?? '';
  const test = ['webhooks', 'test', url, '--secret-file', 'secret.txt', '--skip', 'large'];
  const written = await inTerminal(stage, test, columns);
  receiver.kill();
  return terminalPicture(
    prompt(steady(`svc ${test.join(' ')}`)) + written,
    columns,
    'A webhook receiver is tested',
  );
}

/** The backend inside the tool: records without a server or an account. */
async function backendInABox(stage: Stage): Promise<string> {
  const commands = [
    ['users', 'add', '--local', '--org', 'acme', '--file', 'users.json'],
    ['folders', 'add', '--local', '--org', 'acme', '--folder', 'designs', '--name', 'Designs'],
    [
      'folders',
      'add',
      '--local',
      '--org',
      'acme',
      '--folder',
      'designs-2026',
      '--name',
      'Designs 2026',
      '--parent',
      'designs',
    ],
    [
      'documents',
      'add',
      '--local',
      '--org',
      'acme',
      '--folder',
      'designs',
      '--file',
      'documents.csv',
    ],
    ['documents', 'list', '--local', '--org', 'acme', '--folder', 'designs'],
    ['folders', 'tree', '--local', '--org', 'acme'],
  ];
  const columns = 100;
  let written = '';
  for (const words of commands) {
    const line = words.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ');
    written += prompt(`svc ${line}`) + (await inTerminal(stage, words, columns));
  }
  return terminalPicture(written, columns, 'Users, folders, and documents in the embedded service');
}

/** A token reset whose command fails, and the token that it kept. */
async function tokenReset(stage: Stage): Promise<string> {
  const service = await createService({
    store: join(stage.home, '.local', 'share', 'svc', 'service.sqlite'),
  });
  const { apiKey } = service.client;
  await service.close();
  const columns = 104;
  const reset = [
    'auth-tokens',
    'reset',
    '--local',
    '--api-key',
    apiKey,
    '--yes',
    '--to',
    'exec:false',
  ];
  const written = [
    prompt(steady(`svc auth-tokens reset --local --api-key ${apiKey} --yes --to 'exec:false'`)),
    await inTerminal(stage, reset, columns),
    prompt('svc auth-tokens recover'),
    await inTerminal(stage, ['auth-tokens', 'recover'], columns),
  ];
  return terminalPicture(
    written.join('').replaceAll(stage.home, '~'),
    columns,
    'A token reset keeps the new token.',
  );
}
