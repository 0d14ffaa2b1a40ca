import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { withLock } from '../../src/kernel/lock.ts';
import { listen } from '../listen.ts';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { failure, startMockService } from './mock-service.ts';
import { startServing } from './serving.ts';
import { newUser, type User } from './svc.ts';

type Change = (path: string, body: string) => string | undefined;

/** A proxy in front of a service. It counts the paths, and may change or replace the responses. */
async function startProxy(target: string, change: Change = () => undefined) {
  const paths: string[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '';
    paths.push(path);
    const headers = Object.entries(request.headers).filter(([name]) =>
      /^x-svc-|^content-type$/.test(name),
    );
    const reply = await fetch(target + path, {
      method: 'POST',
      headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
      body: Buffer.concat(chunks),
    });
    const body = await reply.text();
    response.writeHead(reply.status, { 'content-type': 'application/json' });
    response.end(change(path, body) ?? body);
  });
  const url = `http://${await listen(server)}`;
  return { url, paths };
}

async function newWorld(change?: Change, created = newUserInProcess()) {
  const user = await created;
  const service = await startServing(user, '--store', join(user.home, 'real.sqlite'));
  const proxy = await startProxy(service.env.SVC_BASE_URL, change);
  const env = { ...service.env, SVC_BASE_URL: proxy.url };
  const svc = (words: readonly string[], more: object = {}) =>
    user.svc(words, { env: { ...env, ...more } });
  return { user, service, proxy, env, svc };
}

const contractOf = async (user: User, name = 'contract.json') =>
  JSON.parse(await readFile(join(user.home, name), 'utf8'));

test('record runs a command and adds its exchanges; show and diff read them', SLOW, async () => {
  const { user, svc } = await newWorld();
  const folder = '--org acme --create-organization --folder f1 --name Plans';
  const words = `contract record -- folders add ${folder} -o json`.split(' ');
  const added = await svc(words);
  expect(added.stderr).toBe('');
  expect(added.code).toBe(0);
  expect(JSON.parse(added.stdout)).toMatchObject({ succeeded: 1 });
  const missing = await svc(['contract', 'record', '--', 'svc', 'agents', 'get', 'nobody']);
  expect(missing.code).toBe(5);
  const elsewhere = ['contract', 'record', '--file', 'own.json', '--', 'agents', 'list', '-q'];
  expect(await svc(elsewhere)).toMatchObject({ code: 0 });
  expect(Object.keys((await contractOf(user, 'own.json')).operations)).toEqual(['agents.list']);
  const { operations } = await contractOf(user);
  expect(Object.keys(operations)).toEqual(expect.arrayContaining(['agents.get', 'folders.add']));
  const shown = await user.svc(['contract', 'show', '-o', 'json']);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    operations: expect.arrayContaining([
      {
        operation: 'agents.get',
        seen: 1,
        outcomes: [
          {
            http: 404,
            status: 'NOT_FOUND',
            envelope: 'error',
            seen: 1,
            messages: ['Agent not found.'],
          },
        ],
      },
    ]),
    notSeen: expect.arrayContaining(['users.add']),
  });
  const diff = await user.svc(['contract', 'diff']);
  expect(diff.stderr).toBe('');
  expect(diff.code).toBe(0);
  expect(diff.stdout).toContain('agrees:');
  expect(diff.stdout).toContain('0 findings');
});

test('SVC_CONTRACT records every command, also at the same time', SLOW, async () => {
  const { user, svc } = await newWorld(undefined, newUser());
  const recording = { SVC_CONTRACT: 'shapes.json' };
  const runs = await Promise.all(
    Array.from({ length: 6 }, () => svc(['agents', 'list'], recording)),
  );
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
  const { operations } = await contractOf(user, 'shapes.json');
  expect(operations['agents.list']).toMatchObject([{ http: 200, seen: 6 }]);
  expect((await readdir(user.home)).filter((name) => name.startsWith('shapes'))).toEqual([
    'shapes.json',
  ]);
});

test(
  'a recording that cannot get the lock of its file is refused, and nothing is lost',
  SLOW,
  async () => {
    const { user, svc } = await newWorld();
    const words = ['contract', 'record', '--', 'agents', 'list', '-o', 'json'];
    expect(await svc(words)).toMatchObject({ code: 0 });
    const recorded = await readFile(join(user.home, 'contract.json'), 'utf8');
    const locks = join(user.home, '.local', 'state', 'svc', 'contracts');
    const [lock = ''] = (await readdir(locks)).filter((name) => name.endsWith('.lock'));
    await withLock(join(locks, lock), { clock: systemClock }, async () => {
      const [refused, failed] = await Promise.all([
        svc(words),
        svc(['contract', 'record', '--', 'agents', 'get', 'nobody']),
      ]);
      expect(refused.code).toBe(13);
      expect(refused.stdout).toBe('[]\n');
      expect(failed.code).toBe(5);
      expect(failed.stderr).toContain('warning: the exchanges were not recorded');
    });
    expect(await readFile(join(user.home, 'contract.json'), 'utf8')).toBe(recorded);
    expect(await svc(words)).toMatchObject({ code: 0 });
    expect((await contractOf(user)).operations['agents.list']).toMatchObject([{ seen: 2 }]);
  },
);

test('a finding exits with 20, names its decision, and can be known', SLOW, async () => {
  const { user, svc } = await newWorld((_, body) =>
    body.replace('"agents":[]', '"agents":[],"total":0'),
  );
  await svc(['contract', 'record', '--', 'agents', 'list']);
  const diff = await user.svc(['contract', 'diff']);
  expect(diff.code).toBe(20);
  expect(diff.stdout).toContain(
    'agents list (200 success, 1 response) data.total: number; missing in the embedded service',
  );
  expect(diff.stdout).toContain('contradicts the decision that an unknown agent');
  const json = await user.svc(['contract', 'diff', '-o', 'json']);
  expect(json.code).toBe(20);
  expect(JSON.parse(json.stdout).findings).toMatchObject([
    {
      operation: 'agents.list',
      kind: 'field',
      path: 'data.total',
      seen: 1,
      decision: expect.stringContaining('an unknown agent'),
    },
  ]);
  const markdown = await user.svc(['contract', 'diff', '-o', 'markdown']);
  expect(markdown.code).toBe(20);
  const [title, emulator, summary, heading, findings = '', table = ''] =
    markdown.stdout.split('\n\n');
  expect(emulator).toContain('svc serve');
  expect([title, heading]).toEqual(['### contract.json and the embedded service', '#### Findings']);
  expect(summary).toBe(
    '1 finding, 0 other differences, 0 responses not compared, 45 of 46 operations not seen.',
  );
  expect(findings.split('\n')).toEqual([
    '- agents list (200 success, 1 response) data.total: number; missing in the embedded service',
    expect.stringMatching(/^ {2}contradicts the decision that an unknown agent/),
  ]);
  expect(table).toContain('| differs | 1 | agents list |\n');
  expect(table).toMatch(/\n\| not seen \| 45 \| .*\|\n$/);
  await writeFile(join(user.home, 'findings.json'), json.stdout);
  await svc(['contract', 'record', '--', 'agents', 'list']);
  expect(await user.svc(['contract', 'diff', '--known', 'findings.json'])).toMatchObject({
    code: 0,
  });
});

test(
  'probe lists its requests first, sends only reads, and records their shapes',
  SLOW,
  async () => {
    const { user, service, proxy, svc } = await newWorld();
    await service.call('/v2/organizations/folders/add', {
      organizationId: 'acme',
      createOrganization: true,
      folders: [{ folderId: 'secret-folder', folderName: 'Secret Plans' }],
    });
    const before = await service.admin('state');
    const guarded = { ...service.workspaceEnv, SVC_READ_ONLY: '1' };
    const run = await svc(['contract', 'probe', '--org', 'acme'], guarded);
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(
      /^Sending up to 30 read-only requests to .*:\n {2}webhooks config get\n/,
    );
    expect(proxy.paths.length).toBeGreaterThan(15);
    expect(proxy.paths.length).toBeLessThanOrEqual(60);
    expect(proxy.paths.filter((path) => !/\/(get|status)$/.test(path))).toEqual([]);
    expect(proxy.paths.filter((path) => /secret|authtokens|generate/.test(path))).toEqual([]);
    expect(await service.admin('state')).toEqual(before);
    const text = await readFile(join(user.home, 'contract.json'), 'utf8');
    expect(text).not.toMatch(/secret-folder|Secret Plans|acme/);
    expect(run.stderr).toContain(`Recorded ${proxy.paths.length} responses in contract.json`);
    expect(await user.svc(['contract', 'diff'])).toMatchObject({ code: 0 });
  },
);

test.each([
  ['a service that cannot be reached', { SVC_BASE_URL: 'http://127.0.0.1:9' }, 8],
  ['a rejected auth token', { SVC_AUTH_TOKEN: 'wrong' }, 4],
  ['an unknown API key', { SVC_API_KEY: 'wrong' }, 4],
  ['a rejected workspace token', { SVC_WORKSPACE_AUTH_TOKEN: 'wrong' }, 4],
])('a probe of %s records nothing', async (_, more, code) => {
  const { user, service, svc } = await newWorld();
  const run = await svc(['contract', 'probe'], { ...service.workspaceEnv, ...more });
  expect(run.code).toBe(code);
  expect(await readdir(user.home)).not.toContain('contract.json');
});

test('a probe records a denied read as an outcome, and continues', async () => {
  const { user, svc } = await newWorld((path) =>
    path.includes('emailconfig')
      ? JSON.stringify({ error: { status: 'PERMISSION_DENIED', message: 'Not in your plan.' } })
      : undefined,
  );
  expect(await svc(['contract', 'probe'])).toMatchObject({ code: 0 });
  const diff = await user.svc(['contract', 'diff', '-o', 'json']);
  expect(JSON.parse(diff.stdout).verdicts).toContainEqual(
    expect.objectContaining({ operation: 'agents.list', verdict: 'agrees' }),
  );
});

test('a contract without exchanges is refused, and one with errors only agrees on these', async () => {
  const { user, svc } = await newWorld();
  await writeFile(join(user.home, 'contract.json'), '{"svcContract":1,"operations":{}}');
  expect(await user.svc(['contract', 'diff'])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('contract.json has no exchanges'),
  });
  await svc(['contract', 'record', '--', 'agents', 'get', 'nobody']);
  const diff = await user.svc(['contract', 'diff']);
  expect(diff.stdout).toContain('agrees on its errors only: 1 (agents get)');
});

test('a contract with nothing but outages is refused', async () => {
  const user = await newUserInProcess();
  const { env } = await startMockService(() => failure(500, 'INTERNAL', 'Down.'));
  await user.svc(['contract', 'record', '--', 'agents', 'list'], { env });
  expect(await user.svc(['contract', 'diff'])).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining('contract.json has no exchange that can be compared'),
  });
});

test('a probe of a page records nothing', async () => {
  const { user, svc } = await newWorld(() => '<html>welcome</html>');
  expect(await svc(['contract', 'probe'])).toMatchObject({ code: 8 });
  expect(await readdir(user.home)).not.toContain('contract.json');
});

test.each([
  ['{"svcContract": 2}', '1:17'],
  ['{"svcContract": 1,\n "operations": {"agents.list": [}}', '2:33'],
])('a damaged or newer file is refused before anything is sent: %s', async (text, position) => {
  const { user, proxy, svc } = await newWorld();
  await writeFile(join(user.home, 'contract.json'), text);
  for (const words of [
    ['contract', 'record', '--', 'agents', 'list'],
    ['contract', 'probe'],
    ['contract', 'show'],
    ['contract', 'diff'],
  ]) {
    const run = await svc(words);
    expect(run.stderr).toContain(`contract.json:${position}: `);
    expect(run.code).toBe(3);
  }
  expect(proxy.paths).toEqual([]);
  expect(await readFile(join(user.home, 'contract.json'), 'utf8')).toBe(text);
});

test('a file that cannot be written fails the command, unless it has failed already', async () => {
  const { user, svc } = await newWorld();
  await mkdir(join(user.home, 'folder'));
  const recording = { SVC_CONTRACT: 'missing/contract.json' };
  expect(await svc(['agents', 'list'], recording)).toMatchObject({ code: 12 });
  const failed = await svc(['agents', 'get', 'nobody'], recording);
  expect(failed.code).toBe(5);
  expect(failed.stderr).toContain('warning: the exchanges were not recorded');
});

test.each([
  [['contract', 'record', '--', 'agents', 'list', '--local'], 'omit --local'],
  [['contract', 'record', '--', 'contract', 'show'], 'pass the command after --'],
  [['contract', 'show', 'none.json'], 'svc contract probe'],
])('%j is refused', async (words, text) => {
  const user = await newUserInProcess();
  const run = await user.svc(words);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain(text);
});

test('a bulk job is recorded with all its requests', SLOW, async () => {
  const { user, svc } = await newWorld();
  const users = Array.from({ length: 3_000 }, (_, at) => ({ userId: `planted-${at}` }));
  await writeFile(join(user.home, 'u.json'), JSON.stringify(users));
  const words = ['users', 'add', '--org', 'acme', '--file', 'u.json', '--yes', '-o', 'json'];
  const run = await svc(['contract', 'record', '--', ...words]);
  expect(run.code).toBe(0);
  const { requests } = JSON.parse(run.stdout);
  const { operations } = await contractOf(user);
  expect(operations['users.add']).toMatchObject([{ http: 200, seen: requests }]);
  expect(JSON.stringify(operations)).not.toContain('planted');
});
