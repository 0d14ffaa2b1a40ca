import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newUserInProcess } from './in-process.ts';
import { renderScreen } from './screen.ts';
import type { User } from './svc.ts';
import { runPasted } from './svc-for-shells.ts';
import { startTerminal } from './terminal.ts';

const IN_2100 = 4_102_444_800_000;
const IN_2020 = 1_577_836_800_000;

const STATE = {
  folders: [
    { organizationId: 'acme', folderId: 'plans', folderName: 'Plans', accessType: 'restricted' },
    { organizationId: 'acme', folderId: 'q3', parentFolderId: 'plans' },
  ],
  documents: [
    { organizationId: 'acme', documentId: 'd1', folderId: 'q3' },
    { organizationId: 'acme', documentId: 'd2' },
    { organizationId: 'acme', documentId: 'off', disabled: true },
    { organizationId: 'acme', documentId: 'a,"b' },
  ],
  users: [
    {
      organizationId: 'acme',
      userId: 'hank',
      name: 'Hank Hill',
      email: 'hank@example.com',
      memberships: [
        { type: 'organization', id: 'acme', accessRole: 'viewer' },
        { type: 'folder', id: 'plans', accessRole: 'editor', expiresAt: IN_2100 },
      ],
    },
    {
      organizationId: 'acme',
      userId: 'dale',
      memberships: [{ type: 'folder', id: 'plans', expiresAt: IN_2020 }],
    },
    { organizationId: 'acme', userId: 'peggy', name: 'Peggy Hill' },
    { organizationId: 'globex', userId: 'hank', name: 'Hank Scorpio' },
    { organizationId: 'globex', userId: 'carl' },
  ],
  groups: [{ organizationId: 'acme', groupId: 'sales', userIds: ['hank'] }],
  activities: [
    {
      organizationId: 'acme',
      documentId: 'd1',
      id: 'a1',
      actionType: 'edited',
      actionUser: { userId: 'hank' },
    },
  ],
  endpoints: [{ id: 'ep_1', url: 'https://example.com', secret: 'whsec_c2VjcmV0' }],
};

async function withState(user: User): Promise<User> {
  await writeFile(join(user.home, 'state.json'), JSON.stringify(STATE));
  expect(await user.svc(['local', 'import', 'state.json'])).toMatchObject({ code: 0 });
  return user;
}

const words = (line: string) => line.split(' ');

describe('svc local list', () => {
  it('prints records of each kind as a table, with an organization, a search, and a note if there are more', async () => {
    const { svc } = await withState(await newUserInProcess());
    const users = await svc(words('local list users --match HILL --limit 1'));
    expect(users).toEqual({
      code: 0,
      stdout:
        'USER  ORGANIZATION  NAME       EMAIL\nhank  acme          Hank Hill  hank@example.com\n',
      stderr: 'more results: 1 shown; to show all, add --all\n',
    });
    const permissions = await svc(words('local list permissions --org acme -o json'));
    expect(JSON.parse(permissions.stdout)).toMatchObject([
      {
        userId: 'dale',
        level: 'folder',
        id: 'plans',
        role: 'editor',
        expiresAt: IN_2020,
        state: 'expired',
      },
      { userId: 'hank', level: 'folder', id: 'plans', role: 'editor', state: 'active' },
      { userId: 'hank', level: 'organization', role: 'viewer', expiresAt: null, state: 'active' },
      { userId: 'peggy', level: 'organization', role: 'editor' },
    ]);
    expect((await svc(words('local list activities -o csv'))).stdout).toMatch(/\bedited\b/);
    expect((await svc(words('local list presence -o table'))).stderr).toBe(
      'no users are present\n',
    );
  });

  it('masks secrets unless --show-secrets is set', async () => {
    const { svc } = await withState(await newUserInProcess());
    const secretOf = async (...flags: string[]) =>
      JSON.parse((await svc([...words('local list endpoints -o json'), ...flags])).stdout)[0]
        .secret;
    expect(await secretOf()).toBe('****');
    expect(await secretOf('--show-secrets')).toBe('whsec_c2VjcmV0');
    const [token] = JSON.parse((await svc(words('local list tokens -o json'))).stdout);
    expect(token.token).toMatch(/^\*{4}/);
  });

  it('prints no internal columns', async () => {
    const { svc } = await withState(await newUserInProcess());
    const [endpoint] = JSON.parse((await svc(words('local list endpoints -o json'))).stdout);
    expect(Object.keys(endpoint)).toEqual(expect.arrayContaining(['id', 'url', 'secret']));
    expect(Object.keys(endpoint).filter((name) => name.startsWith('failing'))).toEqual([]);
  });

  it('suggests the nearest kind and organization, and is suggested for what the service cannot list', async () => {
    const { svc } = await withState(await newUserInProcess());
    expect(await svc(words('local list usrs'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("did you mean 'users'?"),
    });
    expect(await svc(words('local list users --org acm'))).toMatchObject({
      code: 5,
      stderr: "svc: organization 'acm' not found\nhint: did you mean 'acme'?\n",
    });
    const hint = (kind: string) =>
      `hint: to list those of the embedded service, run svc local list ${kind}\n`;
    expect((await svc(words('users list'))).stderr).toContain(hint('users'));
    expect((await svc(words('groups get'))).stderr).toContain(hint('groups'));
  });
});

describe('svc local show', () => {
  it('prints a card of a user for every organization that has the ID, or for one', async () => {
    const { svc } = await withState(await newUserInProcess());
    const { stdout } = await svc(words('local show user hank'));
    expect(stdout.split('\n\n')).toHaveLength(2);
    expect(stdout).toMatch(
      /^memberships +folder plans \(editor, expires 2100-01-01T00:00:00Z\), organization \(viewer\)$/m,
    );
    expect(stdout).toMatch(/^groups +sales$/m);
    expect(stdout).toMatch(/^documents +a,"b \(viewer\), d1 \(editor\), d2 \(viewer\)$/m);
    expect(stdout).toMatch(/^lastActivity +d1 \(edited, \S+Z\)$/m);
    const cards = JSON.parse(
      (await svc(words('local show user hank --org globex -o json'))).stdout,
    );
    expect(cards).toMatchObject([{ organizationId: 'globex', name: 'Hank Scorpio', groups: [] }]);
  });

  it('prints documents with the users who can open them, and organizations, folders, and groups', async () => {
    const { svc } = await withState(await newUserInProcess());
    const read = async (line: string) =>
      JSON.parse((await svc(words(`local show ${line} -o json`))).stdout);
    expect(await read('document d1')).toMatchObject([
      { users: [{ userId: 'hank', role: 'editor', level: 'folder', id: 'plans' }] },
    ]);
    expect(await read('organization acme')).toMatchObject([{ organizationId: 'acme' }]);
    expect(await read('folder plans')).toMatchObject([
      { memberships: [{ userId: 'dale' }, { userId: 'hank' }] },
    ]);
    expect(await read('group sales')).toMatchObject([{ userIds: ['hank'] }]);
  });

  it('fails with the nearest ID if the record does not exist', async () => {
    const { svc } = await withState(await newUserInProcess());
    const missing = {
      code: 5,
      stderr: "svc: user 'pegy' not found\nhint: did you mean 'peggy'?\n",
    };
    expect(await svc(words('local show user pegy'))).toMatchObject(missing);
    expect(await svc(words('local show usr pegy'))).toMatchObject({ code: 2 });
  });
});

describe('svc local explain', () => {
  it('names the memberships that grant access and those that do not', async () => {
    const { svc } = await withState(await newUserInProcess());
    const explain = async (user: string, document: string) =>
      (await svc(words(`local explain --user ${user} --document ${document} --org acme`))).stdout;
    expect(await explain('hank', 'd1')).toBe(
      [
        'hank can open d1 as editor',
        '  via folder plans (editor, expires 2100-01-01T00:00:00Z)',
        '  not via organization acme (viewer): folder plans is restricted',
        '  path: acme > plans (restricted) > q3 > d1\n',
      ].join('\n'),
    );
    expect(await explain('dale', 'd1')).toContain(
      'dale cannot open d1\n  not via folder plans (editor, expired 2020-01-01T00:00:00Z)\n',
    );
    expect(await explain('peggy', 'off')).toContain(
      'peggy cannot open off: the document is disabled\n',
    );
    expect(await explain('carl', 'd2')).toContain(
      'carl cannot open d2\n  carl is not a member of any level\n',
    );
  });

  it('prints a command that grants access when it is pasted, also for IDs with commas and quotes', async () => {
    const user = await withState(await newUserInProcess());
    const store = ['--store', join(user.home, 'own store.sqlite')];
    expect(await user.svc(['local', 'import', 'state.json', ...store])).toMatchObject({ code: 0 });
    const ask = async (name: string, document: string) => {
      const flags = ['--user', name, '--document', document, '--org', 'acme', '-o', 'json'];
      return JSON.parse((await user.svc(['local', 'explain', ...flags, ...store])).stdout);
    };
    for (const [name, document] of [
      ['dale', 'd1'],
      ['carl', 'a,"b'],
    ] as const) {
      const { allowed, grant } = await ask(name, document);
      expect(allowed).toBe(false);
      expect(await runPasted(user, grant)).toMatchObject({ code: 0 });
      expect(await ask(name, document)).toMatchObject({
        allowed: true,
        grant: null,
        via: [{ level: 'document', id: document }],
      });
    }
  });

  it('uses the time of the service', async () => {
    const { svc } = await withState(await newUserInProcess());
    await svc(words('local clock set 2080-01-01T00:00:00Z'));
    await svc(
      words(
        '--local permissions add --user carl --resource type=document,id=d2,org=acme,expires=2080-02-01T00:00:00Z',
      ),
    );
    const ask = async () =>
      JSON.parse(
        (await svc(words('local explain --user carl --document d2 --org acme -o json'))).stdout,
      );
    expect(await ask()).toMatchObject({ allowed: true });
    await svc(words('local clock advance 40d'));
    expect(await ask()).toMatchObject({
      allowed: false,
      nearMisses: [{ level: 'document', reason: 'expired' }],
    });
  });

  it('runs access tests, with annotations in GitHub Actions', async () => {
    const { svc, home } = await withState(await newUserInProcess());
    const cases = [
      'cases:',
      '  - { org: acme, user: hank, document: d1, expect: allowed }',
      '  - { org: acme, user: hank, document: d2, expect: denied }',
      '  - { org: acme, user: carl, document: d2, expect: denied }',
    ];
    await writeFile(join(home, 'cases.yaml'), cases.join('\n'));
    const failure = 'hank can open d2 as viewer via organization acme, expected denied';
    expect(await svc(words('local explain --cases cases.yaml'))).toEqual({
      code: 20,
      stdout: `cases.yaml:3:5: ${failure}\ncases.yaml: 3 cases, 1 failed\n`,
      stderr: 'svc: cases.yaml: 1 of 3 access tests failed\n',
    });
    expect(await svc(words('local explain --cases cases.yaml --org acme'))).toMatchObject({
      code: 2,
      stderr: 'svc: specify --user, --document, and --org, or only --cases\n',
    });
    const inActions = await svc(words('local explain --cases cases.yaml -o json'), {
      env: { GITHUB_ACTIONS: 'true' },
    });
    expect(inActions.stderr).toMatch(
      new RegExp(`^::error file=cases.yaml,line=3,col=5::${failure}\n`),
    );
    expect(JSON.parse(inActions.stdout)).toMatchObject({
      total: 3,
      failed: 1,
      cases: [{ passed: true }, { passed: false }, {}],
    });
  });

  it('rejects invalid cases and unknown IDs with their positions', async () => {
    const { svc, home } = await withState(await newUserInProcess());
    const check = async (text: string) => {
      await writeFile(join(home, 'cases.yaml'), text);
      return svc(words('local explain --cases cases.yaml'));
    };
    const invalid = await check(
      'cases:\n  - { org: acme, user: 7, document: d1, expct: denied }\n  - { org: acme, user: hank, document: d1, expect: denid }',
    );
    expect(invalid).toMatchObject({ code: 3, stdout: '' });
    expect(invalid.stderr.split('\n').slice(0, 4)).toEqual([
      "cases.yaml:2:5: the field 'expect' is required",
      'cases.yaml:2:24: user: expected text; put it in quotes',
      "cases.yaml:2:41: unknown field 'expct'; did you mean 'expect'?",
      "cases.yaml:3:52: expect: unknown value 'denid'; did you mean 'denied'?",
    ]);
    expect(
      await check('cases: [{ org: acme, user: hnk, document: d2, expect: denied }]'),
    ).toMatchObject({
      code: 3,
      stderr:
        "svc: cases.yaml:1:28: user 'hnk' not found; did you mean 'hank'?\nhint: fix the file\n",
    });
  });

  it('fits its result in 40 columns', async () => {
    const user = await withState(await newUserInProcess());
    const line = 'local explain --user dale --document d1 --org acme';
    const terminal = startTerminal(words(line), { ...user.env, NO_COLOR: '1' }, 40);
    expect(await terminal.ended).toBe(0);
    expect(renderScreen(terminal.raw(), 40)).toEqual([
      'dale cannot open d1',
      '  not via folder plans (editor,',
      '    expired 2020-01-01T00:00:00Z)',
      '  path: acme > plans (restricted) >',
      '    q3 > d1',
      'grant access:',
      '  svc --local permissions add \\',
      '    --user dale --resource \\',
      '    type=document,id=d1,org=acme,role=ed',
      'itor',
      '',
    ]);
  });
});
