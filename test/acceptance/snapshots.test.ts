import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { startServing } from './serving.ts';
import { BIN } from './svc.ts';

const addUser = (...ids: readonly string[]) => [
  'users',
  'add',
  '--local',
  '--org',
  'acme',
  ...ids.flatMap((id) => ['--user', id]),
];

it('svc local snapshot saves, compares, restores, lists, and removes the data beside a running server', async () => {
  const user = await newUserInProcess();
  const server = await startServing(user);
  const snapshot = (...words: readonly string[]) => user.svc(['local', 'snapshot', ...words]);
  const add = (userId: string) =>
    server.call('/v1/users/add', { organizationId: 'acme', users: [{ userId, name: 'Ada' }] });
  const count = async () => {
    const state = JSON.parse((await user.svc(['local', 'export'])).stdout) as { users: unknown[] };
    return state.users.length;
  };
  await add('u1');
  expect(await snapshot('save', 'seed')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Saved snapshot seed: 1 organization, 1 user \([\d.]+ kB\)\n$/),
    stderr: '',
  });
  expect(await snapshot('diff', 'seed')).toMatchObject({
    code: 0,
    stdout: 'No changes: the embedded service matches snapshot seed.\n',
  });
  await add('u2');
  const diff = await snapshot('diff', 'seed');
  expect(diff).toMatchObject({
    code: 20,
    stdout: expect.stringMatching(/\+ user u2 \(acme\)[\s\S]*Changes: 1 added/),
  });
  const unconfirmed = await snapshot('restore', 'seed');
  expect(unconfirmed).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect(await snapshot('restore', 'seed', '--dry-run')).toMatchObject({ code: 0 });
  expect(await count()).toBe(2);
  expect(await snapshot('restore', 'seed', '--yes')).toMatchObject({ code: 0 });
  expect(await count()).toBe(1);
  expect(await add('u3')).toMatchObject({ ok: true });
  const listed = JSON.parse((await snapshot('list', '-o', 'json')).stdout);
  expect(listed).toEqual([
    {
      name: 'seed',
      bytes: expect.any(Number),
      savedAt: expect.stringMatching(/Z$/),
      records: expect.objectContaining({ users: 1 }),
    },
  ]);
  expect(await snapshot('restore', 'sede', '--yes')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("did you mean 'seed'?"),
  });
  expect(await snapshot('save', '../seed')).toMatchObject({ code: 2 });
  expect(await snapshot('remove', 'seed')).toMatchObject({ code: 0 });
  expect((await snapshot('list')).stderr).toContain('no snapshots found');
});

it('/_svc/snapshots saves, compares, restores, and removes the data of a running server', async () => {
  const user = await newUserInProcess();
  const server = await startServing(user);
  const add = (userId: string) =>
    server.call('/v1/users/add', { organizationId: 'acme', users: [{ userId }] });
  const admin = (path: string, body?: object) => server.admin(`snapshots${path}`, body);
  await add('u1');
  expect(await admin('', { save: 'seed' })).toMatchObject({
    status: 200,
    body: { name: 'seed', records: { users: 1 } },
  });
  await add('u2');
  expect((await admin('/seed')).body).toMatchObject({
    changes: [{ sign: '+', kind: 'users', id: 'u2' }],
  });
  expect(await admin('', { restore: 'seed' })).toMatchObject({ status: 200 });
  expect((await admin('/seed')).body).toEqual({ changes: [] });
  expect((await admin('')).body).toMatchObject({ snapshots: [{ name: 'seed' }] });
  expect(await admin('', { restore: 'other' })).toMatchObject({
    status: 404,
    body: { error: { status: 'NOT_FOUND' } },
  });
  expect(await admin('', { restore: '..' })).toMatchObject({ status: 400 });
  expect(await admin('', { save: 'a', restore: 'b' })).toMatchObject({ status: 400 });
  expect(await admin('', { remove: 'seed' })).toMatchObject({ status: 200 });
  expect((await admin('')).body).toEqual({ snapshots: [] });
});

it('svc local exec runs on a private copy with --snapshot and --parallel-safe', SLOW, async () => {
  const user = await newUserInProcess();
  const state = async () => (await user.svc(['local', 'export'])).stdout;
  await user.svc(addUser('u1'));
  await user.svc(['local', 'snapshot', 'save', 'seed']);
  await user.svc(addUser('u2'));
  const before = await state();
  // Adds a user to the copy, waits for the other runs, and prints the number of users.
  const add = `${JSON.stringify(process.execPath)} ${JSON.stringify(BIN)} users add --org acme --user`;
  const script = (id: string) => ['--', 'sh', '-c', `${add} ${id} -o json && exit 7`];
  const file = join(user.home, '.local', 'share', 'svc', 'service.sqlite.snapshots', 'seed.sqlite');
  const saved = await readFile(file);
  const runs = [
    ['--snapshot', 'seed'],
    ['--snapshot', 'seed', '--parallel-safe'],
    ['--parallel-safe'],
  ];
  const results = await Promise.all(
    runs.map((flags) => user.start(['local', 'exec', ...flags, ...script('u9')]).ended),
  );
  expect(results.map(({ code }) => code)).toEqual([7, 7, 7]);
  expect(await state()).toBe(before);
  expect((await readFile(file)).equals(saved)).toBe(true);
  expect(await user.svc(['local', 'exec', '--snapshot', 'sede', '--', 'true'])).toMatchObject({
    code: 5,
  });
});
