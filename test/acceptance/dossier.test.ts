import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { killRepeatedly } from './bulk-service.ts';
import { newUserInProcess } from './in-process.ts';
import { failure, type ResponseHandler, startMockService, success } from './mock-service.ts';

type Lists = Readonly<Record<string, unknown>>;

/** Returns a page of a service that has three pages per organization, with one comment each. */
function pageOf(data: Lists, change: (lists: Lists, page: number) => Lists = (lists) => lists) {
  const page = Number(data['pageToken'] ?? 0);
  const comment = { id: `c${page}`, organization: data['organizationId'] };
  const lists = { comments: [comment], reactions: [], recordings: [], notifications: [] };
  return success(change(lists, page), { nextPageToken: page < 2 ? String(page + 1) : null });
}

/** Starts a service and a user of it, who reads organizations into the folder `out`. */
async function startReader(
  answer: ResponseHandler,
  variables: Readonly<Record<string, string>> = {},
) {
  const user = await newUserInProcess();
  const waiting: { readonly at: number; readonly go: () => void }[] = [];
  const { received, ...service } = await startMockService((request, response) => {
    for (const { at, go } of waiting) if (received.length >= at) go();
    return answer(request, response);
  });
  const env = { ...service.env, ...variables };
  const svc = (...words: readonly string[]) => user.svc(words, { env });
  const wordsFor = (organizations: readonly string[]) => [
    ...DOSSIER,
    ...organizations.flatMap((id) => ['--org', id]),
  ];
  return {
    ...user,
    svc,
    start: (...words: readonly string[]) => user.start(words, { env }),
    /** Waits for a number of further requests. */
    more: (count: number) =>
      new Promise<void>((go) => waiting.push({ at: received.length + count, go })),
    read: (organizations: readonly string[]) => svc(...wordsFor(organizations)),
    wordsFor,
    received,
    folder: join(user.home, 'out'),
  };
}

const DOSSIER = ['users', 'dossier', '--user', 'u1', '--out', 'out'];

async function readManifest(folder: string) {
  return JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
}

/** Reads all files, and asserts that they are exactly those of the manifest. */
async function readWhole(folder: string): Promise<readonly string[]> {
  const manifest = await readManifest(folder);
  expect(manifest.complete).toBe(true);
  const paths = await readdir(folder, { recursive: true });
  const files: readonly { file: string; sha256: string; records?: number }[] = manifest.files;
  expect(new Set(paths)).toEqual(
    new Set(['organizations', 'manifest.json', ...files.map(({ file }) => file)]),
  );
  const lines: string[] = [];
  for (const { file, sha256, records } of files) {
    const content = await readFile(join(folder, file));
    expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
    if (records === undefined) continue;
    const own = content.toString().split('\n').slice(0, -1);
    expect(own).toHaveLength(records);
    lines.push(...own);
  }
  return lines;
}

describe('svc users dossier', () => {
  it('writes every page of every organization, and only for its owner', async () => {
    const user = await startReader(({ body }) => pageOf(body.data));
    expect(await user.read(['acme', 'beta'])).toMatchObject({ code: 0, stderr: '' });
    const lines = await readWhole(user.folder);
    expect(new Set(lines.map((line) => JSON.parse(line).record))).toEqual(
      new Set(
        ['acme', 'beta'].flatMap((organization) =>
          [0, 1, 2].map((page) => ({ id: `c${page}`, organization })),
        ),
      ),
    );
    for (const path of ['', ...(await readdir(user.folder, { recursive: true }))]) {
      const stats = await lstat(join(user.folder, path));
      expect([path, stats.mode & 0o777]).toEqual([path, stats.isDirectory() ? 0o700 : 0o600]);
    }
    const people = user.received.map(({ body }) => body.data['userId']);
    expect(new Set(people)).toEqual(new Set(['u1']));
    const history = await user.svc('history', '-o', 'json', '--jq', '.[].command');
    expect(history.stdout).toContain('svc users dossier --user u1');
  });

  const isThird = (data: Lists) => data['organizationId'] === 'c';
  const without = (list: string) => (lists: Lists, page: number) =>
    page === 1
      ? Object.fromEntries(Object.entries(lists).filter(([name]) => name !== list))
      : lists;
  it.each<readonly [string, ResponseHandler, RegExp]>([
    [
      'a 403',
      () => failure(403, 'PERMISSION_DENIED', 'No access.'),
      /No access.*PERMISSION_DENIED/,
    ],
    ['a 401', () => failure(401, 'UNAUTHENTICATED', 'Who?'), /Who\?.*UNAUTHENTICATED/],
    [
      'a page that is not JSON',
      (_, response) => void response.end('<html><title>Sign in</title></html>'),
      /HTML instead of JSON/,
    ],
    [
      'a repeated cursor',
      ({ body }) => {
        let next = 0;
        return pageOf({ ...body.data, pageToken: 0 }, () => {
          next += 1;
          return { comments: [{ id: next }], reactions: [], recordings: [], notifications: [] };
        });
      },
      /cursor/,
    ],
    ['a page without a list', ({ body }) => pageOf(body.data, without('reactions')), /reactions/],
    ['a page without data', () => success(null), /no list/],
    [
      'a total that differs',
      ({ body }) => {
        const { result } = pageOf(body.data).body;
        return { body: { result: { ...result, total: 4 } } };
      },
      /announced 4 records.*returned 3/,
    ],
    [
      'pages that repeat',
      ({ body }) => {
        const page = Number(body.data['pageToken'] ?? 0);
        return success(
          { comments: [{ id: 'c' }], reactions: [], recordings: [], notifications: [] },
          { nextPageToken: String(page + 1) },
        );
      },
      /repeats/,
    ],
  ])('fails with 11 and reads the rest later after %s', async (_, answer, reason) => {
    let isBroken = true;
    const user = await startReader((request, response) =>
      isBroken && isThird(request.body.data)
        ? answer(request, response)
        : pageOf(request.body.data),
    );
    const { code, stderr } = await user.read(['a', 'b', 'c', 'd']);
    expect([code, stderr]).toEqual([11, expect.stringMatching(/could not read 1 of 4 .*: c: /)]);
    expect(stderr).toMatch(reason);
    const manifest = await readManifest(user.folder);
    expect(manifest).toMatchObject({
      complete: false,
      failures: [{ organizationId: 'c', message: expect.stringMatching(/./) }],
    });
    isBroken = false;
    const before = user.received.length;
    const [, job = ''] = /svc jobs resume (\S+)/.exec(stderr) ?? [];
    expect(await user.svc('jobs', 'resume', job)).toMatchObject({ code: 0, stderr: '' });
    expect(await readWhole(user.folder)).toHaveLength(12);
    expect(user.received.length - before).toBeLessThanOrEqual(6);
  });

  it('replaces secrets, and counts their records', async () => {
    const signed = `eyJhbGciOiJIUzI1NiJ9.${'a'.repeat(20)}.${'b'.repeat(20)}`;
    const secrets = ['hunter2-hunter2', 'whsec_abcdefgh12345678', signed, 'k3y-of-mine-1234'];
    const [password = '', signing = '', , key = ''] = secrets;
    const comments = [
      { text: `my ${signing} and ${signed}`, authToken: password },
      { text: 'plain', nested: [{ credentials: { user: 'ada', secret: key } }] },
      { text: `token-of-the-key-0001 and https://x.example/file?token=${key}&page=2` },
    ];
    const user = await startReader(() =>
      success({ comments, reactions: [], recordings: [], notifications: [] }),
    );
    expect(await user.read(['acme'])).toMatchObject({ code: 0 });
    const text = (await readWhole(user.folder)).join('\n');
    for (const secret of [...secrets, 'token-of-the-key-0001']) expect(text).not.toContain(secret);
    expect(text).toContain('"text":"plain"');
    expect(text).toContain('https://x.example/file?token=<removed>&page=2');
    expect(await readManifest(user.folder)).toMatchObject({
      records: 3,
      counts: { comments: 3 },
    });
  });

  it('gives organizations with odd IDs safe and different file names', async () => {
    const user = await startReader(({ body }) => pageOf(body.data));
    const ids = [
      '../../up',
      'a/b',
      'a-b',
      'A-B',
      'CON',
      'con',
      '.',
      'x'.repeat(300),
      'é',
      'e\u0301',
    ];
    expect(await user.read(ids)).toMatchObject({ code: 0, stderr: '' });
    expect(await readWhole(user.folder)).toHaveLength(3 * ids.length);
    const { files } = await readManifest(user.folder);
    const names = files.flatMap(({ file, organizationId }: Record<string, string>) =>
      organizationId === undefined ? [] : [String(file).toLowerCase()],
    );
    expect(new Set(names).size).toBe(ids.length);
    for (const name of names)
      expect(name).toMatch(/^organizations\/(?!con\.)[a-z0-9][\w.-]{0,79}$/);
  });

  it('reads the organizations of a file, each once, also in read-only mode', async () => {
    const user = await startReader(({ body }) => pageOf(body.data), { SVC_READ_ONLY: '1' });
    await writeFile(
      join(user.home, 'orgs.csv'),
      'organizationId,plan\nacme,free\nbeta,paid\nacme,free\n',
    );
    expect(await user.svc(...DOSSIER, '--org-file', 'orgs.csv')).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await readManifest(user.folder)).toMatchObject({ organizations: 2, records: 6 });
  });

  it('refuses a folder that exists, and one that is not its own', async () => {
    let isBroken = true;
    const user = await startReader(({ body }) =>
      isBroken ? failure(403, 'PERMISSION_DENIED', 'No.') : pageOf(body.data),
    );
    await mkdir(user.folder);
    expect(await user.read(['acme'])).toMatchObject({ code: 2 });
    await rm(user.folder, { recursive: true });
    await symlink('nowhere', user.folder);
    expect(await user.read(['acme'])).toMatchObject({ code: 2 });
    expect(user.received).toEqual([]);
    await rm(user.folder);
    expect(await user.read(['acme'])).toMatchObject({ code: 11 });
    isBroken = false;
    await rm(user.folder, { recursive: true });
    await mkdir(user.folder);
    await writeFile(join(user.folder, 'manifest.json'), '{"job":"another"}');
    expect(await user.svc('jobs', 'resume')).toMatchObject({ code: 2 });
    await rm(user.folder, { recursive: true });
    expect(await user.svc('jobs', 'resume')).toMatchObject({ code: 0 });
    expect(await readWhole(user.folder)).toHaveLength(3);
  });

  it('reads an organization again whose file has changed since', async () => {
    let isBroken = true;
    const user = await startReader(({ body }) =>
      isBroken && isThird(body.data) ? failure(403, 'PERMISSION_DENIED', 'No.') : pageOf(body.data),
    );
    expect(await user.read(['a', 'b', 'c'])).toMatchObject({ code: 11 });
    isBroken = false;
    await writeFile(join(user.folder, 'organizations', 'a.ndjson'), '{"list":"comments"}\n');
    await rm(join(user.folder, 'organizations', 'b.ndjson'));
    const resumed = await user.svc('jobs', 'resume');
    expect([resumed.code, resumed.stderr]).toEqual([
      0,
      expect.stringContaining('reading a, b again'),
    ]);
    expect(await readWhole(user.folder)).toHaveLength(9);
  });

  it('contains the memberships that the embedded service knows', async () => {
    const { svc, home } = await newUserInProcess();
    const memberships = [{ type: 'document', id: 'd1', accessRole: 'viewer' }];
    const state = {
      documents: [{ organizationId: 'acme', documentId: 'd1' }],
      users: [{ organizationId: 'acme', userId: 'u1', memberships }],
      groups: [{ organizationId: 'acme', groupId: 'legal', userIds: ['u1'] }],
      userData: [{ organizationId: 'acme', userId: 'u1', comments: [{ text: 'Hi' }] }],
      organizations: [{ organizationId: 'acme' }],
    };
    await writeFile(join(home, 'state.json'), JSON.stringify(state));
    const store = ['--local', '--store', join(home, 'store.sqlite')];
    await svc(['local', 'import', 'state.json', ...store.slice(1)]);
    expect(await svc([...DOSSIER, '--org', 'acme', ...store])).toMatchObject({
      code: 0,
      stderr: '',
    });
    const records = (await readWhole(join(home, 'out'))).map((line) => JSON.parse(line));
    expect(records).toMatchObject([
      { list: 'comments', record: { text: 'Hi' } },
      { list: 'profile', record: { userId: 'u1' } },
      { list: 'memberships', record: { level: 'document', id: 'd1', role: 'viewer' } },
      { list: 'groups', record: { organizationUserGroupId: 'legal' } },
    ]);
    await rm(join(home, 'out'), { recursive: true });
    expect(await svc([...DOSSIER, '--org', 'acm', ...store])).toMatchObject({ code: 5 });
  });

  const canMount =
    spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs tmpfs $d && umount $d']).status === 0;

  it.skipIf(!canMount)('stops with 12 on a full disk, and continues with space', SLOW, async () => {
    const user = await startReader(({ body }) =>
      pageOf(body.data, ({ comments, ...lists }) => ({
        ...lists,
        comments: [{ ...Object((comments as readonly object[])[0]), text: 'x'.repeat(2_000) }],
      })),
    );
    const disk = join(user.home, 'disk');
    await mkdir(disk);
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
    try {
      const organizations = Array.from({ length: 20 }, (_, at) => ['--org', `o${at}`]).flat();
      const folder = join(disk, 'out');
      const words = ['users', 'dossier', '--user', 'u1', '--out', folder, ...organizations];
      const { code, stderr } = await user.svc(...words);
      expect([code, stderr]).toEqual([
        12,
        expect.stringMatching(/disk is full.*of 20 .* not read/),
      ]);
      expect((await readManifest(folder)).complete).toBe(false);
      spawnSync('mount', ['-o', 'remount,size=4m', disk]);
      expect(await user.svc('jobs', 'resume')).toMatchObject({ code: 0 });
      expect(await readWhole(folder)).toHaveLength(60);
    } finally {
      spawnSync('umount', [disk]);
    }
  });

  it('is complete although it is killed repeatedly', SLOW, async () => {
    const organizations = Array.from({ length: 30 }, (_, at) => `o${at}`);
    const user = await startReader(async ({ body }) => {
      await setTimeout(5);
      return pageOf(body.data);
    });
    const killedAfter = Array.from({ length: 10 }, (_, at) => 1 + 2 * at);
    const words = [...user.wordsFor(organizations), '-o', 'json'];
    const { code, kills, stdout } = await killRepeatedly(killedAfter, user, words);
    expect([code, kills]).toEqual([0, killedAfter.length]);
    expect(JSON.parse(stdout)).toMatchObject({ complete: true, total: 30, succeeded: 30 });
    const records = (await readWhole(user.folder)).map((line) => JSON.parse(line).record);
    const expected = organizations.flatMap((organization) =>
      [0, 1, 2].map((page) => `${organization} c${page}`),
    );
    expect(records.map(({ organization, id }) => `${organization} ${id}`).toSorted()).toEqual(
      expected.toSorted(),
    );
  });
});
