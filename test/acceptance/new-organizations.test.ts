import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { startDialogue, startDialogueInProcess } from './dialogue.ts';
import { newUserInProcess } from './in-process.ts';
import { failure, startMockService, success } from './mock-service.ts';
import type { User } from './svc.ts';

const addTo = (org: string, ...more: readonly string[]) => [
  'users',
  'add',
  '--org',
  org,
  '--user',
  'u1',
  ...more,
];
const grant = (user: string, ...more: readonly string[]) => [
  'permissions',
  'add',
  '--user',
  user,
  '--resource',
  'type=organization,id=acme',
  ...more,
];

/** IDs that this machine remembers for completion. */
async function rememberedIds(
  { home }: User,
  scope: string,
): Promise<Readonly<Record<string, unknown>>> {
  const path = join(home, '.local', 'state', 'svc', 'completion', `${scope}.json`);
  return JSON.parse(await readFile(path, 'utf8').catch(() => '{}'));
}

/** A service that accepts every write, and knows only the organization acme. */
function startService() {
  return startMockService(({ path, body }) => {
    if (path === '/v2/auth/permissions/add') return success(undefined);
    if (path.endsWith('/add'))
      return success({ u1: { success: true, id: 'x', message: 'User added.' } });
    if (body.data['folderId'] === 'gone') return failure(404, 'NOT_FOUND', 'Folder not found.');
    return success(body.data['organizationId'] === 'acme' ? [{ id: 'd1', folderId: 'f1' }] : []);
  });
}

/** Keys that choose the third of three choices. */
const CANCEL = '\u001b[B\u001b[B\r';

describe('a likely typo in an organization', () => {
  it.each([100, 80, 40])('is one question with three answers, at %d columns', async (columns) => {
    const user = await newUserInProcess();
    expect((await user.svc(addTo('acme', '--local'))).code).toBe(0);
    const words = addTo('acmee', '--local', '--name', 'Ada');
    const asked = startDialogue(words, user.env, columns);
    await asked.shows('❯ use acme');
    await asked.shows('create acmee');
    await asked.shows('cancel');
    for (const line of asked.text().split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    expect(asked.text()).not.toMatch(/\?.*\?/);
    await asked.answer('Organization acmee does not exist', '\r');
    expect(await asked.ended, asked.text()).toBe(0);
    expect(asked.text(100)).toContain('Added user u1 to acme');
    const listed = await user.svc(['local', 'list', 'organizations', '-o', 'json']);
    expect(JSON.parse(listed.stdout)).toHaveLength(1);
  });

  it('is used, created, or canceled for a file, and never asked twice', SLOW, async () => {
    const user = await newUserInProcess();
    expect((await user.svc(addTo('acme', '--local'))).code).toBe(0);
    const path = join(user.home, 'users.csv');
    await writeFile(path, 'userId\nu7\nu8\n');
    const words = ['users', 'add', '--local', '--org', 'acmee', '--file', path];
    const used = startDialogue(words, user.env);
    await used.answer('Organization acmee does not exist', '\r');
    expect(await used.ended, used.text()).toBe(0);
    const jobs = JSON.parse((await user.svc(['jobs', 'list', '-o', 'json'])).stdout);
    expect(jobs).toEqual([expect.objectContaining({ state: 'done', succeeded: 2 })]);
    const created = startDialogue(words, user.env);
    await created.answer('Organization acmee does not exist', '\u001b[B\r');
    expect(await created.ended, created.text()).toBe(0);
    expect(created.text()).toContain('Created organization acmee');
  });
});

describe('an organization that does not exist in the embedded service', () => {
  it('is named after a script has created it, with the users that permissions add created', async () => {
    const user = await newUserInProcess();
    expect((await user.svc(addTo('acme', '--local'))).stderr).toBe('Created organization acme\n');
    expect((await user.svc(addTo('acme', '--local'))).stderr).toBe('');
    const granted = await user.svc(grant('ada', '--local', '-o', 'json'));
    expect(granted.code).toBe(0);
    expect(JSON.parse(granted.stdout)).toEqual({
      status: 'success',
      message: 'Permissions added successfully.',
    });
    expect(granted.stderr).toContain('"Created user ada in acme"');
    expect(await rememberedIds(user, 'local')).toEqual({
      user: ['ada', 'u1'],
      organization: ['acme'],
    });
  });

  it(
    'is created on a terminal only after a question, or with --create-organization',
    SLOW,
    async () => {
      const user = await newUserInProcess();
      const first = startDialogue(addTo('acme', '--local'), user.env);
      expect(await first.ended, first.text()).toBe(0);
      expect(first.text()).not.toContain('Create it?');
      const asked = startDialogue(addTo('acmee', '--local'), user.env);
      await asked.answer('Organization acmee does not exist (embedded service)', CANCEL);
      expect(await asked.ended, asked.text()).toBe(2);
      expect(asked.text()).toContain('canceled; nothing was changed');
      const answered = startDialogue(addTo('acmee', '--local', '--create-organization'), user.env);
      expect(await answered.ended, answered.text()).toBe(0);
      expect(answered.text()).toContain('Created organization acmee');
      expect(answered.text()).not.toContain('Did you mean');
      const member = startDialogue(grant('u2', '--local'), user.env, 40);
      await member.answer('User u2 does not exist in acme. Create it?', 'y\r');
      expect(await member.ended, member.text()).toBe(0);
    },
  );

  it.each([
    'documents add --document d1',
    'groups add --group g1',
    'crdt add --document d1 --editor e1 --type text --content x',
    'presence add --document d1 --user u1',
  ])('is not created by a machine that knows none: svc %s', async (command) => {
    const user = await newUserInProcess();
    const { env, received } = await startService();
    const add = (org: string) =>
      user.svc([...command.split(' '), '--org', org, '--no-create-organization'], { env });
    const refused = await add('acmee');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('organization acmee is not known on this machine');
    expect(received.every(({ path }) => path.endsWith('/get'))).toBe(true);
    // The service shows its records.
    expect((await add('acme')).stderr).not.toContain('is not known');
    expect(received.some(({ path }) => path.endsWith('/add'))).toBe(true);
  });

  it.each([
    ['folders add --file f.csv', 'folderId,organizationId\nf1,acme\nf2,acmf\n'],
    ['users add --no-create-organization --file f.csv', 'userId,organizationId\nu,acme\nv,acmf\n'],
  ])('is refused by the dry run that the run refuses: svc %s', async (command, text) => {
    const user = await newUserInProcess();
    const file = join(user.home, 'f.csv');
    await writeFile(file, text);
    const run = async (...more: readonly string[]) => {
      const words = [...command.replace('f.csv', file).split(' '), ...more];
      const { code, stderr } = await user.svc([...words, '--local']);
      return [code, stderr.split('\n').slice(command.includes('--no-create') ? -2 : -3)];
    };
    const refused = [
      3,
      [
        'svc: organization acme not found, and 1 more (INVALID_ARGUMENT)',
        // Not for a flag that forbids it.
        ...(command.includes('--no-create')
          ? []
          : ['hint: add --create-organization to create it']),
        '',
      ],
    ];
    expect(await run('--dry-run')).toEqual(refused);
    expect(await run()).toEqual(refused);
  });

  it('of a file that a service refuses gets the command that creates them', async () => {
    const user = await newUserInProcess();
    const { env } = await startMockService(() =>
      failure(400, 'INVALID_ARGUMENT', 'Organization not found.'),
    );
    const file = join(user.home, 'f.csv');
    await writeFile(file, 'folderId,organizationId\nf1,acme\nf2,acmf\n');
    const { code, stderr } = await user.svc(['folders', 'add', '--file', file], { env });
    expect(code).toBe(10);
    expect(stderr).toMatch(
      /\nhint: to create the organizations, run svc folders add --create-organization --file \S+\n$/,
    );
  });

  it('is named by folders and notifications, which refuse it', async () => {
    const user = await newUserInProcess();
    const { code, stderr } = await user.svc([
      'folders',
      'add',
      '--local',
      '--org',
      'acmee',
      '--folder',
      'f1',
    ]);
    expect(code).toBe(3);
    expect(stderr).toBe(
      'svc: organization acmee not found (INVALID_ARGUMENT)\nhint: add --create-organization to create it\n',
    );
  });
});

describe('an organization that does not exist', () => {
  it.each([
    ['users', 'add', '--user', 'u'],
    ['users', 'add', '--user', 'u', '--role', 'viewer'],
    ['documents', 'add', '--document', 'd'],
    ['groups', 'add', '--group', 'g'],
  ])('is created by svc %s %s, but not with --no-create-organization', async (...words) => {
    const { svc } = await newUserInProcess();
    const organizations = async () =>
      (await svc(['local', 'list', 'organizations', '--jq', '[.[].organizationId] | join(" ")']))
        .stdout;
    const add = [...words, '--local', '--org'];
    const refused = await svc([...add, 'acme', '--no-create-organization']);
    expect(refused, refused.stderr).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toContain('organization acme ');
    expect(await organizations()).toBe('\n');
    expect(await svc([...add, 'acme'])).toMatchObject({
      code: 0,
      stderr: 'Created organization acme\n',
    });
    expect(await svc([...add, 'acmee'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^warning: organization acmee does not exist .*mean acme\?/),
    });
    expect(await organizations()).toBe('acme acmee\n');
  });

  it.each([[], ['--role', 'viewer']])('is refused by a service once, with %j', async (...words) => {
    const { svc } = await newUserInProcess();
    const { env, received } = await startMockService(() =>
      failure(400, 'INVALID_ARGUMENT', 'Organization not found.'),
    );
    const add = [...addTo('acme'), ...words];
    const run = await svc([...add, '--no-create-organization'], { env });
    expect(run).toMatchObject({ code: 3 });
    expect(received.map(({ path, body }) => [path, body.data['createOrganization']])).toEqual([
      ['/v2/users/add', false],
    ]);
  });

  it.each([
    [['--org', 'acme'], 1],
    [[], 2],
  ])(
    'refuses a file of folders with %j in one request for each organization',
    async (words, requests) => {
      const { svc, home } = await newUserInProcess();
      const { env, received } = await startMockService(() =>
        failure(400, 'INVALID_ARGUMENT', 'Organization not found.'),
      );
      const org = (at: number) => (words.length > 0 ? {} : { organizationId: `o${at % 2}` });
      const folders = Array.from({ length: 60 }, (_, at) => ({ folderId: `f${at}`, ...org(at) }));
      await writeFile(join(home, 'f.json'), JSON.stringify(folders));
      const add = ['folders', 'add', '--file', 'f.json', ...words];
      const run = await svc(add, { env, cwd: home });
      expect(received).toHaveLength(requests);
      expect(run.code).toBe(requests === 1 ? 3 : 10);
      if (requests === 1)
        expect(run.stderr).toContain('hint: add --create-organization to create it');
      const local = await svc([...add, '--local'], { cwd: home });
      expect(local).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('hint: add --create-organization to create it'),
      });
      expect(await svc([...add, '--local', '--create-organization'], { cwd: home })).toMatchObject({
        code: 0,
      });
    },
  );
});

describe('new organizations of one file', () => {
  const csv = (...organizations: readonly string[]) =>
    `userId,organizationId\n${organizations.map((organization, at) => `u${at},${organization}\n`).join('')}`;

  it('are named in one note, and asked about once', async () => {
    const user = await newUserInProcess();
    const path = join(user.home, 'users.csv');
    const write = (text: string) => writeFile(path, text);
    const words = ['users', 'add', '--file', path, '--local'];
    await write(csv('a', 'b', 'c', 'd', 'e'));
    expect((await user.svc(words)).stderr).toBe(
      'warning: 5 organizations (a 1, b 1, c 1, d 1, e 1) do not exist and will be created (--create-organization suppresses this warning)\nCreated 5 organizations (a, b, c, d, e)\n',
    );
    await write(csv('a', 'x', 'y', 'b'));
    const asked = startDialogue(words, user.env);
    await asked.answer('names 2 organizations that do not exist', '');
    await asked.shows('x 1 · y 1');
    await asked.shows('❯ fix the file');
    asked.type('\u001b[A\u001b[A\r');
    expect(await asked.ended, asked.text()).toBe(0);
    expect(asked.text(1000)).toContain('--local --create-organization');
  });

  it('are asked about before an unclear ID is refused, the likely typos first', async () => {
    const user = await newUserInProcess();
    const path = join(user.home, 'users.csv');
    await writeFile(path, csv('acme', 'acme ', 'Acme Ltd', 'acme'));
    const words = ['users', 'add', '--file', path, '--local'];
    const list = ['local', 'list', 'users', '--jq', '[.[].organizationId] | sort | join(",")'];
    const refused = await user.svc(words);
    expect(refused).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('users.csv:3: organizationId: must not begin or end'),
    });
    const fixed = startDialogueInProcess(words, user.env);
    await fixed.answer("'acme ' 1 (like acme) · Acme Ltd 1 · acme 2", '');
    await fixed.shows("❯ use acme for 'acme '");
    fixed.type('\u001b[B\u001b[B\r');
    expect(await fixed.ended, fixed.text()).toBe(2);
    const stopped = startDialogueInProcess(words, user.env, 40);
    await stopped.answer("❯ use acme for 'acme '", '\u0003');
    expect(await stopped.ended, stopped.text()).toBe(130);
    expect((await user.svc(list)).stdout).toBe('\n');

    const asked = startDialogueInProcess(words, user.env);
    await asked.shows("❯ use acme for 'acme '");
    asked.type('\u001b[A\r');
    await asked.shows('must not begin or end with white space');
    await asked.answer("❯ use acme for 'acme '", '\r');
    await asked.answer('2 organizations', '');
    await asked.shows('Acme Ltd 1 · acme 3');
    await asked.shows('❯ fix the file');
    asked.type('\r');
    await asked.answer('Stop the import to fix the file?', '\r');
    await asked.shows('❯ fix the file');
    asked.type('\u001b[A\u001b[A\r');
    expect(await asked.ended, asked.text()).toBe(0);
    const added = (await user.svc(list)).stdout;
    expect(added).toBe('Acme Ltd,acme,acme,acme\n');
    const [, line = ''] = /questions:\s+svc (.*)\n\d users/s.exec(asked.text()) ?? [];
    expect(line.replaceAll(/ \\\n\s+/g, ' ')).toBe(
      `users add --file ${path} --local --map-org 'acme =acme' --create-organization`,
    );
    await user.svc(['local', 'reset', '--yes']);
    const again = await user.svc([...words, '--map-org', 'acme =acme', '--create-organization']);
    expect(again).toMatchObject({ code: 0 });
    expect((await user.svc(list)).stdout).toBe(added);
  });

  it.each([
    ['without a file', addTo('acme'), 'a=b', '--map-org needs an input file'],
    ['with an unclear ID', ['users', 'add', '--file', 'u.csv'], 'a=b ', 'must not begin or end'],
    ['without an ID', ['users', 'add', '--file', 'u.csv'], 'a=', 'must not be empty'],
    ['without a pair', ['users', 'add', '--file', 'u.csv'], 'a', "must be from=to, got 'a'"],
  ])('cannot be replaced %s', async (_, words, pair, message) => {
    const { svc } = await newUserInProcess();
    const refused = await svc([...words, '--local', '--map-org', pair]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it('can be replaced by a known one', async () => {
    const user = await newUserInProcess();
    const path = join(user.home, 'users.csv');
    for (const org of ['acme', 'globex']) await user.svc(addTo(org, '--local'));
    await writeFile(path, csv('initech', 'acme'));
    const asked = startDialogueInProcess(['users', 'add', '--file', path, '--local'], user.env);
    await asked.answer('initech 1', '\u001b[A\r');
    await asked.answer('Organization to use for initech', '');
    await asked.shows('globex');
    asked.type('glob');
    await asked.shows('❯ globex');
    asked.type('\r');
    expect(await asked.ended, asked.text()).toBe(0);
    expect(asked.text(1000)).toContain('--map-org initech=globex');
    const { stdout } = await user.svc(['local', 'list', 'organizations', '-o', 'csv']);
    expect(stdout).not.toContain('initech');
  });

  it('cause one warning over the network', async () => {
    const user = await newUserInProcess();
    const { env } = await startService();
    await user.svc(addTo('acme'), { env });
    await writeFile(join(user.home, 'users.csv'), csv('acmr', 'zeta', 'acmf', 'acme'));
    const { stderr } = await user.svc(['users', 'add', '--file', 'users.csv'], { env });
    expect(stderr.match(/warning: .*known.*/g)).toEqual([
      'warning: 3 organizations (acmr 1, acmf 1, zeta 1) are not known on this machine and will be created if they do not exist; did you mean acme instead of acmr? (--create-organization suppresses this warning)',
    ]);
  });
});

describe('an organization that this machine does not know', () => {
  it('causes a warning in a script only if a known one is similar, and no extra request', async () => {
    const user = await newUserInProcess();
    const { env, received } = await startService();
    const messagesOf = async (words: readonly string[]) => {
      const { code, stderr } = await user.svc(words, { env });
      expect(code, stderr).toBe(0);
      return stderr;
    };
    // Nothing is remembered at first.
    expect(await messagesOf(addTo('acme'))).toBe('');
    expect(await messagesOf(addTo('globex'))).toBe('');
    expect(await messagesOf(addTo('acmee', '--create-organization'))).toBe('');
    expect(await messagesOf(addTo('acmr'))).toBe(
      'warning: organization acmr is not known on this machine and will be created if it does not exist; did you mean acme? (--create-organization suppresses this warning)\n',
    );
    expect(await messagesOf(addTo('acmr'))).toBe('');
    expect(received.map(({ path }) => path)).toEqual(Array(5).fill('/v1/users/add'));
    expect(received[2]?.body.data['createOrganization']).toBeUndefined();
  });

  it('is written to on a terminal only after a question', SLOW, async () => {
    const user = await newUserInProcess();
    const { env, received } = await startService();
    await user.svc(addTo('acme'), { env });
    const all = { ...user.env, ...env };
    const asked = startDialogue(addTo('zeta'), all);
    await asked.shows('use acme');
    await asked.answer('Organization zeta is not known on this machine', '\r');
    expect(await asked.ended, asked.text()).toBe(2);
    expect(received).toHaveLength(1);
    const known = startDialogue(addTo('acme'), all);
    expect(await known.ended, known.text()).toBe(0);
    // Prompts never appear in CI, even on a terminal.
    const inCi = startDialogue(addTo('acmf'), { ...all, CI: '1' }, 240);
    expect(await inCi.ended, inCi.text()).toBe(0);
    expect(inCi.text()).toContain('did you mean acme?');
  });
});

describe('remembered IDs', () => {
  it('are not those of failed and empty reads', async () => {
    const user = await newUserInProcess();
    const { env } = await startService();
    const runs = [
      ['documents', 'list', '--org', 'acmee'],
      ['folders', 'list', '--org', 'acmf', '--folder', 'gone'],
      ['documents', 'list', '--org', 'acme', '--document', 'd1', '--document', 'd2'],
    ];
    const [at, to] = ['documents migrate --org acmf --document', '--new-document d8 --yes'];
    const token = 'access-tokens generate --user u1 --name u --email u@example.com --resource';
    runs.push(`${at} d9 ${to}`.split(' '), `${token} type=document,id=d9,org=acmf`.split(' '));
    for (const words of runs) await user.svc(words, { env });
    const target = encodeURIComponent(`${env.SVC_API_KEY} ${env.SVC_BASE_URL}`);
    expect(await rememberedIds(user, `key-${target}`)).toEqual({
      document: ['d1'],
      organization: ['acme'],
      folder: ['f1'],
    });
  });
});

describe('a list of an unknown organization', () => {
  const LISTS = [
    ['documents', 'list'],
    ['folders', 'list'],
    ['folders', 'tree'],
  ];

  it.each(LISTS)('is an error of the embedded service: %s %s', async (...list) => {
    const user = await newUserInProcess();
    const none = await user.svc([...list, '--local', '--org', 'acmee']);
    expect(none).toMatchObject({ code: 5, stdout: '' });
    expect(none.stderr).toBe(
      'svc: organization acmee does not exist\nhint: to list the organizations, run svc local list organizations\n',
    );
    await user.svc(['organizations', 'add', '--local', '--org', 'acme']);
    expect(await user.svc([...list, '--local', '--org', 'acmee'])).toEqual({
      code: 5,
      stdout: '',
      stderr: "svc: organization acmee does not exist\nhint: did you mean 'acme'?\n",
    });
    const empty = await user.svc([...list, '--local', '--org', 'acme']);
    expect(empty.code).toBe(0);
    expect(empty.stderr).toContain('no results; to add some, run svc --local ');
  });

  it.each([
    [['documents', 'list'], 'no documents in organization acmee (or it does not exist)'],
    [
      ['documents', 'list', '--folder', 'f9'],
      'no matching documents in organization acmee (or it does not exist)',
    ],
    [['folders', 'tree'], 'no folders in organization acmee (or it does not exist)'],
  ])('suggests no command that creates it over HTTP: %j', async (list, message) => {
    const { env } = await startService();
    const user = await newUserInProcess();
    const listed = await user.svc([...list, '--org', 'acmee'], { env });
    expect(listed.code).toBe(0);
    expect(listed.stderr).toBe(`${message}\n`);
  });
});
