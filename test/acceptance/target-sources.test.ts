import { chmod, chown, lchown, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startDialogue } from './dialogue.ts';
import { newUserInProcess } from './in-process.ts';
import { type ReceivedRequest, startMockService, success } from './mock-service.ts';

const OTHER_USER = 54_321;
const TOKEN = 'token-of-a-target-0001';

/** Two services; the second one has two API keys. All requests are recorded in order. */
async function startServices() {
  const sent: string[] = [];
  const start = (name: string) =>
    startMockService(({ headers, body, path }: ReceivedRequest) => {
      const [header = ''] = Object.keys(headers).filter((each) =>
        /-(api-key|workspace-id)$/.test(each),
      );
      const prefix = header.replace(/(api-key|workspace-id)$/, '');
      const organization = body.data['organizationId'] ?? path.split('/').at(-2);
      sent.push(`${name} ${prefix} ${headers[header]} ${organization}`);
      return success({ u1: { success: true, id: 'x', message: 'User added.' } });
    });
  const [a, b] = [await start('A'), await start('B')];
  return { sent, urls: { A: a.env.SVC_BASE_URL, B: b.env.SVC_BASE_URL } };
}

/** A user with the profiles a (the default), b, and the protected c and read-only d. */
async function createUser() {
  const { sent, urls } = await startServices();
  const user = await newUserInProcess();
  await writeFile(join(user.home, 'token.txt'), TOKEN, { mode: 0o600 });
  const profiles = [
    ['a', urls.A, 'key-a', '--org', 'org-a', '--header-prefix', 'x-a-', '--workspace-id', 'w-a'],
    ['b', urls.B, 'key-b', '--org', 'org-b'],
    ['c', urls.B, 'key-c', '--org', 'org-c', '--protected'],
    ['d', urls.B, 'key-d', '--read-only'],
  ] as const;
  for (const [name, url, key, ...flags] of profiles) {
    const address = ['--base-url', url, '--api-key', key];
    const secret = ['--auth-token-file', 'token.txt', '--insecure-storage', '--no-verify'];
    const added = await user.svc(['login', name, ...address, ...flags, ...secret]);
    expect(added.code, added.stderr).toBe(0);
  }
  const fill = (text: string) =>
    text.replaceAll(/\b[AB]:/g, (letter) => `${urls[letter[0] as 'A']}`);
  const run = (line: string, variables: Record<string, string> = {}) => {
    const entries = Object.entries(variables).map(([name, value]) => [`SVC_${name}`, fill(value)]);
    const words = line.split(' ').filter(Boolean).map(fill);
    return user.svc(words, { env: Object.fromEntries(entries) });
  };
  return { ...user, sent, urls, run, folderFile: join(user.home, '.svc.json') };
}

const COMPLETE = { BASE_URL: 'B:', API_KEY: 'key-b', AUTH_TOKEN: TOKEN };
const ADD = 'users add --user u1 --yes';

interface Row {
  readonly name: string;
  readonly line: string;
  readonly variables?: Record<string, string>;
  readonly folder?: object;
  /** The request that arrives: service, header prefix, API key, and organization. */
  readonly sent?: string;
  readonly code?: number;
  readonly messages?: readonly string[];
}

const ROWS: readonly Row[] = [
  { name: 'the default profile', line: ADD, sent: 'A x-a- key-a org-a' },
  { name: 'a profile by flag', line: `${ADD} -p b`, sent: 'B x-svc- key-b org-b' },
  {
    name: 'a profile by variable',
    line: ADD,
    variables: { PROFILE: 'b' },
    sent: 'B x-svc- key-b org-b',
  },
  {
    name: 'a flag over a variable',
    line: `${ADD} -p b`,
    variables: { PROFILE: 'a' },
    sent: 'B x-svc- key-b org-b',
  },
  {
    name: 'a profile by folder',
    line: ADD,
    folder: { profile: 'b' },
    sent: 'B x-svc- key-b org-b',
  },
  {
    name: 'a flag over a folder',
    line: `${ADD} -p a`,
    folder: { profile: 'b' },
    sent: 'A x-a- key-a org-a',
  },
  {
    name: 'equal variables',
    line: `${ADD} -p b`,
    variables: COMPLETE,
    sent: 'B x-svc- key-b org-b',
  },
  {
    name: 'an equal URL as flag',
    line: `${ADD} -p b --base-url B:/`,
    sent: 'B x-svc- key-b org-b',
  },
  {
    name: 'variables equal to the default',
    line: ADD,
    variables: { BASE_URL: 'A:', API_KEY: 'key-a' },
    sent: 'A x-a- key-a org-a',
  },
  {
    name: 'only another token',
    line: `${ADD} -p b`,
    variables: { AUTH_TOKEN: 'other' },
    sent: 'B x-svc- key-b org-b',
  },
  {
    name: 'an organization by variable',
    line: `${ADD} -p b`,
    variables: { ORG: 'o' },
    sent: 'B x-svc- key-b o',
  },
  {
    name: 'an organization by flag',
    line: `${ADD} -p b --org f`,
    variables: { ORG: 'o' },
    sent: 'B x-svc- key-b f',
  },
  { name: 'variables', line: `${ADD} --org o`, variables: COMPLETE, sent: 'B x-svc- key-b o' },
  {
    name: 'variables in a folder of a profile',
    line: ADD,
    variables: COMPLETE,
    folder: { profile: 'a', org: 'f' },
    sent: 'B x-svc- key-b f',
  },
  {
    name: 'variables in a folder of a missing profile',
    line: ADD,
    variables: COMPLETE,
    folder: { profile: 'gone', org: 'f' },
    sent: 'B x-svc- key-b f',
  },
  {
    name: 'variables of another key at the same address',
    line: `${ADD} --org o`,
    variables: { ...COMPLETE, BASE_URL: 'A:' },
    sent: 'A x-svc- key-b o',
  },
  {
    name: 'a URL by flag, and a key by variable',
    line: `${ADD} --org o --base-url B:`,
    variables: { API_KEY: 'key-b', AUTH_TOKEN: TOKEN },
    sent: 'B x-svc- key-b o',
  },
  {
    name: 'a workspace that the command does not use',
    line: `${ADD} -p a`,
    variables: { WORKSPACE_ID: 'w-b' },
    sent: 'A x-a- key-a org-a',
  },
  {
    name: 'no organization of an unused profile',
    line: ADD,
    variables: COMPLETE,
    code: 2,
    messages: ['--org is required'],
  },
  {
    name: 'another URL',
    line: `${ADD} -p b`,
    variables: { BASE_URL: 'A:' },
    code: 2,
    messages: ["profile 'b' (flag --profile)", 'SVC_BASE_URL'],
  },
  {
    name: 'another URL with a path',
    line: `${ADD} -p b`,
    variables: { BASE_URL: 'B:/other' },
    code: 2,
    messages: ['SVC_BASE_URL'],
  },
  {
    name: 'another key',
    line: `${ADD} -p b`,
    variables: { API_KEY: 'key-c' },
    code: 2,
    messages: ["profile 'b' (flag --profile)", 'SVC_API_KEY'],
  },
  {
    name: 'another key with its token, which the profile must not get',
    line: `${ADD} -p b`,
    variables: { API_KEY: 'key-c', AUTH_TOKEN: 'other' },
    code: 2,
    messages: ['hint: unset SVC_API_KEY SVC_AUTH_TOKEN, or'],
  },
  {
    name: 'another prefix',
    line: `${ADD} -p a`,
    variables: { HEADER_PREFIX: 'x-b-' },
    code: 2,
    messages: ["profile 'a' (flag --profile)", 'SVC_HEADER_PREFIX'],
  },
  {
    name: 'another URL as flag',
    line: `${ADD} -p b --base-url A:`,
    code: 2,
    messages: ["profile 'b' (flag --profile)", '--base-url'],
  },
  {
    name: 'another URL than SVC_PROFILE',
    line: ADD,
    variables: { PROFILE: 'b', BASE_URL: 'A:' },
    code: 2,
    messages: ["profile 'b' (SVC_PROFILE)", 'SVC_BASE_URL'],
  },
  {
    name: 'another workspace',
    line: 'workspace get -p a',
    variables: { WORKSPACE_ID: 'w-b', WORKSPACE_AUTH_TOKEN: TOKEN },
    code: 2,
    messages: ["profile 'a' (flag --profile)", 'SVC_WORKSPACE_ID'],
  },
  {
    name: 'another key for an assistant',
    line: 'mcp -p b',
    variables: { API_KEY: 'key-c' },
    code: 2,
    messages: ['SVC_API_KEY'],
  },
  {
    name: 'only a key of another target',
    line: `${ADD} --org o`,
    variables: { API_KEY: 'key-b' },
    code: 4,
    messages: ['SVC_BASE_URL'],
  },
  {
    name: 'only a URL of another target',
    line: `${ADD} --org o`,
    variables: { BASE_URL: 'B:' },
    code: 4,
    messages: ['API key'],
  },
  {
    name: 'variables of a protected target',
    line: `${ADD} --org o`,
    variables: { ...COMPLETE, API_KEY: 'key-c' },
    code: 2,
    messages: ["profile 'c' is protected"],
  },
  {
    name: 'variables of a read-only target',
    line: `${ADD} --org o`,
    variables: { ...COMPLETE, API_KEY: 'key-d' },
    code: 4,
    messages: ["set by profile 'd'"],
  },
  {
    name: 'variables in a read-only folder',
    line: ADD,
    variables: COMPLETE,
    folder: { readOnly: true, org: 'f' },
    code: 4,
    messages: ['.svc.json'],
  },
];

it('sends a write to the target that was named, or nowhere', async () => {
  const { sent, run, folderFile } = await createUser();
  for (const { name, line, variables, folder = {}, ...expected } of ROWS) {
    sent.length = 0;
    await writeFile(folderFile, JSON.stringify(folder));
    const { code, stderr } = await run(line, variables);
    const { sent: request } = expected;
    expect([name, code, ...sent]).toEqual([
      name,
      expected.code ?? 0,
      ...(request ? [request] : []),
    ]);
    for (const message of expected.messages ?? []) expect(stderr).toContain(message);
  }
});

it('uses variables on a machine whose default profile is protected', async () => {
  const { sent, run } = await createUser();
  expect((await run('profiles update a --protected')).code).toBe(0);
  expect(await run(`${ADD} --org o`, COMPLETE)).toMatchObject({ code: 0, stderr: '' });
  expect(sent).toEqual(['B x-svc- key-b o']);
  expect((await run(ADD)).stderr).toContain("profile 'a' is protected");
});

describe('an environment of a settings file', () => {
  const SETTINGS = 'svc: 1\nusers: [{ organizationId: o, userId: u1 }]\nenvironments:\n';
  const live = (fields: string) => `${SETTINGS}  live: { ${fields} }\n  staging: { profile: b }\n`;
  const COMMANDS = ['plan', 'apply --yes', 'drift', 'pull'];

  it.each(COMMANDS)('contradicts variables of another target: %s', async (command) => {
    const { sent, run, home } = await createUser();
    await writeFile(join(home, 'svc.yaml'), live('profile: a'));
    const { code, stderr } = await run(`${command} --env live`, COMPLETE);
    expect(code).toBe(2);
    expect(stderr).toContain("profile 'a' (environment 'live' of svc.yaml)");
    expect(stderr).toContain('SVC_BASE_URL');
    expect(sent).toEqual([]);
  });

  it.each(COMMANDS)('is needed for its own target: %s', async (command) => {
    const { sent, run, home } = await createUser();
    for (const [fields, line, variables] of [
      ['profile: a', command, {}],
      ['profile: a', `${command} -p a`, {}],
      ['profile: a', command, { BASE_URL: 'A:', API_KEY: 'key-a' }],
    ] as const) {
      await writeFile(join(home, 'svc.yaml'), live(fields));
      const { code, stderr } = await run(line, variables);
      expect([code, stderr]).toEqual([2, expect.stringContaining('hint: add --env live\n')]);
    }
    expect(sent).toEqual([]);
  });

  it.each(COMMANDS)('cannot replace another environment: %s', async (command) => {
    const { sent, run, home } = await createUser();
    for (const [fields, line, variables] of [
      ['folders: []', `${command} --env live -p b`, {}],
      ['folders: []', `${command} --env live`, { PROFILE: 'b' }],
      ['profile: prod', `${command} --env live`, COMPLETE],
    ] as const) {
      await writeFile(join(home, 'svc.yaml'), live(fields));
      const { code, stderr } = await run(line, variables);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining('svc.yaml declares staging for this target'),
      ]);
    }
    expect(sent).toEqual([]);
  });

  it('is chosen on a terminal', async () => {
    const { env, home, run } = await createUser();
    await writeFile(join(home, 'svc.yaml'), live('profile: a'));
    expect((await run('whoami')).stdout).toContain("(profile 'a')");
    const screen = startDialogue(['plan', '-f', join(home, 'svc.yaml')], env);
    await screen.answer('❯ live', '\r');
    expect(await screen.ended, screen.text()).not.toBe(2);
    expect(screen.text()).toContain('live · ');
  });

  it('is declared for a base URL, which variables may have instead of its profile', async () => {
    const { run, home, urls } = await createUser();
    const declared = `profile: prod, baseUrl: "${urls.B}"`;
    await writeFile(join(home, 'svc.yaml'), live(declared));
    const plan = await run('plan --env live', COMPLETE);
    expect(plan.stdout.split('\n')[0]).toBe(`live (from SVC_BASE_URL) · ${urls.B}`);
    const other = await run('plan --env live', { ...COMPLETE, BASE_URL: 'A:' });
    expect(other.code).toBe(2);
    expect(other.stderr).toContain(`environment 'live' of svc.yaml is for ${urls.B}`);
    expect(other.stderr).toContain(`SVC_BASE_URL is ${urls.A}`);
    const incomplete = await run('plan --env live', { BASE_URL: 'B:' });
    expect(incomplete.stderr).toContain("profile 'prod' does not exist");
  });

  it('is recorded in the history with its own service', async () => {
    const { run, home, urls } = await createUser();
    await writeFile(join(home, 'svc.yaml'), live('profile: a'));
    await run('apply --env staging --yes');
    const [entry] = JSON.parse((await run('history -o json')).stdout);
    expect(entry).toMatchObject({ profile: 'b', host: new URL(urls.B).host });
  });
});

describe('a .svc.json', () => {
  it('is named in results and prompts if it chose the profile', async () => {
    const { svc, home, folderFile, urls } = await createUser();
    await writeFile(folderFile, '{"profile":"b"}');
    const cwd = join(home, 'inner');
    await mkdir(cwd);
    const added = await svc(['users', 'add', '--user', 'u1', '--yes'], { cwd });
    expect(added.stdout).toBe('Added user u1 to org-b (profile b, from ../.svc.json)\n');
    const asked = await svc(['webhooks', 'endpoints', 'delete', 'ep_1'], { cwd });
    expect(asked.stderr).toContain(`(profile b, from ../.svc.json, ${new URL(urls.B).host})`);
  });

  it('is not read above the root of a repository, or above the home folder', async () => {
    const { svc, home, folderFile } = await createUser();
    await writeFile(folderFile, '{"org":"outer"}');
    const cwd = join(home, 'repository', 'inner');
    await mkdir(cwd, { recursive: true });
    const organization = async () =>
      JSON.parse((await svc(['whoami', '-o', 'json'], { cwd })).stdout).org;
    expect(await organization()).toBe('outer');
    const inHome = ['whoami', '--local', '-o', 'json'];
    const env = { HOME: join(home, 'repository') };
    expect(JSON.parse((await svc(inHome, { cwd, env })).stdout).org).toBeNull();
    await mkdir(join(home, 'repository', '.git'));
    expect(await organization()).toBe('org-a');
  });

  it('that others can write is ignored with one warning, except for readOnly', async () => {
    const { svc, folderFile } = await createUser();
    await writeFile(folderFile, '{"org":"evil"}');
    await chmod(folderFile, 0o646);
    const words = ['users', 'add', '--user', 'u1', '--yes'];
    const added = await svc(words);
    expect(added.stdout).toBe('Added user u1 to org-a\n');
    expect(added.stderr.match(/warning: ignored \.svc\.json: /g)).toHaveLength(1);
    await writeFile(folderFile, '{"readOnly":true,"org":');
    expect((await svc(words)).code).toBe(4);
    await chmod(folderFile, 0o664);
    await writeFile(folderFile, '{"org":"ours"}');
    expect((await svc(words)).stdout).toBe('Added user u1 to ours\n');
  });

  it.skipIf(process.getuid?.() !== 0)(
    'of another user is ignored, also as a link to a file of this user',
    async () => {
      const { svc, home, folderFile } = await createUser();
      await writeFile(folderFile, '{"org":"evil"}');
      await chown(folderFile, OTHER_USER, OTHER_USER);
      const warning = 'warning: ignored .svc.json: it belongs to another user';
      const ignored = await svc(['whoami']);
      expect(ignored.stdout).toContain('organization org-a');
      expect(ignored.stderr).toContain(warning);
      await rename(folderFile, join(home, 'mine.json'));
      await chown(join(home, 'mine.json'), 0, 0);
      await symlink('mine.json', folderFile);
      await lchown(folderFile, OTHER_USER, OTHER_USER);
      expect((await svc(['whoami'])).stderr).toContain(warning);
    },
  );

  it('with a repeated key, or that is a dangling link, is refused', async () => {
    const { svc, home, folderFile } = await createUser();
    await writeFile(folderFile, '{"readOnly":true,"readOnly":false}');
    expect(await svc(['whoami'])).toMatchObject({ code: 2 });
    await mkdir(join(home, 'linked'));
    await symlink('gone', join(home, 'linked', '.svc.json'));
    const { code, stderr } = await svc(['whoami'], { cwd: join(home, 'linked') });
    expect([code, stderr]).toEqual([2, expect.stringContaining('does not exist')]);
  });

  it('with "remote" keeps --local writable, and nothing else', async () => {
    const { svc, home, folderFile } = await createUser();
    await writeFile(folderFile, '{"readOnly":"remote"}');
    const add = ['users', 'add', '--user', 'u1', '--org', 'acme', '--yes'];
    const store = ['--store', join(home, 'store.sqlite')];
    expect((await svc([...add, '--local', ...store])).code).toBe(0);
    expect((await svc(add)).code).toBe(4);
  });
});
