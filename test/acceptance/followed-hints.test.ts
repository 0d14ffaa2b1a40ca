import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKey, hasSshKeygen } from '../ssh-keygen.ts';
import { createApplyUser } from './apply-user.ts';
import { startDialogueInProcess } from './dialogue.ts';
import { type Followed, followHints } from './follow-hints.ts';
import { newUserInProcess } from './in-process.ts';
import type { Run, Setting } from './svc.ts';

const createFollowed = (): Followed => ({ ran: [], skipped: [], incomplete: [] });

/** Settings with one change. */
const folder = (id: string) => `svc: 1
stack: acme
folders:
  - { organizationId: acme, folderId: ${id}, folderName: Folder ${id} }
`;

interface HintUser {
  readonly home: string;
  readonly flags: readonly string[];
  svc(words: readonly string[], setting?: Setting): Promise<Run>;
  /** Declares a folder, and returns flags that name the file. */
  declare(id: string, ending?: string): Promise<readonly string[]>;
}

function withDeclare(user: Omit<HintUser, 'declare'>): HintUser {
  return {
    ...user,
    declare: async (id, ending = '') => {
      await writeFile(join(user.home, 'other settings.yaml'), folder(id) + ending);
      return ['-f', 'other settings.yaml'];
    },
  };
}

async function createLocalUser(): Promise<HintUser> {
  const { home, svc } = await newUserInProcess();
  const flags = ['--local', '--store', join(home, 'my store.sqlite')];
  const add = [...flags, 'users', 'add', '--org', 'acme', '--user', 'u1', '--name', 'Ada'];
  const run = await svc(add);
  expect(run.code, run.stderr).toBe(0);
  return withDeclare({ home, flags, svc });
}

/** Creates a user whose profile `staging` is a service, and whose default one is unreachable. */
async function createProfileUser(...protection: readonly string[]) {
  const user = await createApplyUser();
  const { SVC_BASE_URL, SVC_API_KEY, SVC_AUTH_TOKEN } = user.env;
  const none = { SVC_BASE_URL: '', SVC_API_KEY: '', SVC_AUTH_TOKEN: '' };
  const svc = (words: readonly string[]) => user.svc(words, none);
  await writeFile(join(user.home, 'token.txt'), SVC_AUTH_TOKEN);
  const secret = ['--auth-token-file', 'token.txt', '--insecure-storage', '--no-verify'];
  for (const [name, url, ...more] of [
    ['other', 'http://127.0.0.1:9'],
    ['staging', SVC_BASE_URL, ...protection],
  ] as const) {
    const address = ['--base-url', url, '--api-key', SVC_API_KEY];
    const run = await svc(['profiles', 'add', name, ...address, ...secret, ...more]);
    expect(run.code, run.stderr).toBe(0);
  }
  expect((await svc(['profiles', 'use', 'other'])).code).toBe(0);
  const hintUser = withDeclare({ home: user.home, flags: ['-p', 'staging'], svc });
  return { ...hintUser, host: new URL(SVC_BASE_URL).host, env: user.env };
}

/** Commands that fail or find nothing, and print a command. */
const SITUATIONS = [
  'groups add-users --org nowhere --group g1 --user u1',
  'folders get --org acme',
  'folders list --org acme --folder nothing',
  'folders no-such-command',
  'folders list --no-such-flag',
  'folders tree',
  'documents list --org acme',
  'documents update --org acme --document nothing --name X',
  'documents add --org acme --document d1 --folder nothing',
  'documents migration-status --org acme',
  'agents get nobody',
  'agents get',
  'users add --org acme',
  'users lst --org acme',
  'users get --org acme',
  'users ad --org acme',
  'groups list --org acme',
  'permissions list --user u9',
  'list',
  'no-such-command',
  'jobs resume',
  'jobs show 20260131-094500-5f3a9c',
  'undo',
  'webhooks replay',
  'webhooks setup',
  'webhooks setup --url https://example.com/hook --filter-type comment.add',
  'webhooks endpoints get',
  'webhooks endpoints list',
  'webhooks endpoints delete nothing --yes',
  'webhooks send no.such.event',
  'webhooks send comment.add --via-service',
  'plan',
  'apply',
  'drift',
  'doctor',
  'auth-tokens recover --save',
].map((line) => line.split(' '));

/** Commands of the embedded service only. */
const LOCAL_SITUATIONS = [
  'folders list --org nowhere',
  'local deliveries list --endpoint nothing',
  'local deliveries retry --endpoint nothing',
  'local snapshot restore nothing --yes',
  'local requests list',
].map((line) => line.split(' '));

describe.each([
  {
    name: '--local and --store',
    prepare: createLocalUser,
    others: LOCAL_SITUATIONS,
    skipped: ['webhooks listen', 'serve'],
  },
  { name: 'a profile', prepare: createProfileUser, others: [], skipped: [] },
])('with $name', ({ prepare, others, skipped }) => {
  /** A request to the default profile. */
  const elsewhere = /"url": "http:\/\/127\.0\.0\.1:9\/|cannot reach 127\.0\.0\.1:9\b/;

  it('each command that a failed or empty command prints can be run at the same service', async () => {
    const user = await prepare();
    const followed = createFollowed();
    for (const words of [...SITUATIONS, ...others])
      await followHints(user, [...user.flags, ...words, '-o', 'json'], followed, { elsewhere });
    const names = (lines: readonly string[]) =>
      lines.map((line) => line.replace(/^svc (?:-p staging|--local --store '.*?') /, ''));
    expect(followed.ran.length).toBeGreaterThanOrEqual(36);
    const isFilledIn = (line: string) => /<[a-z]+>|…/.test(line);
    expect(names(followed.skipped).filter((line) => !isFilledIn(line))).toEqual(skipped);
    expect(followed.incomplete).toEqual([]);
  });

  it('each command that plans, applied settings, and undo print can be run', async () => {
    const user = await prepare();
    const { flags } = user;
    const followed = createFollowed();
    const follow = (...words: readonly string[]) =>
      followHints(user, [...flags, ...words, '-o', 'json'], followed);
    expect(await follow('drift', ...(await user.declare('a')))).toHaveLength(2);
    expect(await follow('plan', ...(await user.declare('b')))).toHaveLength(1);
    const out = ['--out', 'plan.json'];
    expect(await follow('plan', ...(await user.declare('c')), ...out)).toHaveLength(1);
    await user.declare('c', '  - { organizationId: acme, folderId: d, folderName: D }\n');
    const applied = await user.svc([...flags, 'apply', '-f', 'other settings.yaml', '--yes']);
    expect(applied.code, applied.stderr).toBe(0);
    await writeFile(join(user.home, 'other settings.yaml'), folder('c').replace('Folder', 'New'));
    expect(await follow('apply', '-f', 'other settings.yaml', '--yes')).toHaveLength(1);
    expect(await follow('undo', '--out', 'undo.json')).toHaveLength(1);
    expect(followed).toMatchObject({ skipped: [], incomplete: [] });
  });
});

it('the hints of a machine without a profile can be followed', async () => {
  const user = await newUserInProcess();
  const followed = createFollowed();
  const lines = [
    'whoami',
    'whoami --check',
    'users add --org acme --user u1',
    'agents list',
    'contract diff',
    'contract record',
    'profiles show',
    'profiles show nobody',
    'login',
    'schema no-such-operation',
    'help usrs',
    'history x',
    'plan',
    'completion install nosuchshell',
    'webhooks verify',
    'jobs show',
    'local exec',
  ];
  for (const line of lines)
    await followHints(user, [...line.split(' '), '-o', 'json'], followed, { elsewhere: /never/ });
  expect(followed.ran.length).toBeGreaterThanOrEqual(10);
  expect(new Set(followed.skipped)).toEqual(
    new Set([
      'svc login <name>',
      'svc profiles use <name>',
      'svc login <name> --base-url <url> --api-key <id>',
    ]),
  );
});

describe('with environments in the settings file', () => {
  it('plan prints a command for the environment', async () => {
    const user = await createProfileUser();
    const file = await user.declare('a', 'environments: { live: { profile: staging } }\n');
    const followed = createFollowed();
    const planned = [...file, '--env', 'live', '-o', 'json'];
    await followHints(user, ['drift', ...planned], followed);
    await user.declare('b', 'environments: { live: { profile: staging } }\n');
    await followHints(user, ['plan', ...planned], followed);
    await user.declare('c', 'environments: { live: { profile: staging } }\n');
    await followHints(user, ['plan', ...planned, '--out', 'plan.json'], followed);
    expect(followed.ran).toEqual([
      "svc apply -f 'other settings.yaml' --env live",
      "svc pull -f 'other settings.yaml' --env live",
      "svc apply -f 'other settings.yaml' --env live",
      'svc apply plan.json',
    ]);
  });
});

describe('with a target that is read-only', () => {
  it('no command prints one that writes', async () => {
    const user = await createProfileUser('--read-only');
    const followed = createFollowed();
    const file = await user.declare('a');
    const follow = (...words: readonly string[]) =>
      followHints(user, [...user.flags, ...words, '-o', 'json'], followed);
    expect(await follow('plan', ...file)).toEqual([]);
    expect(await follow('plan', ...file, '--out', 'plan.json')).toEqual([]);
    expect(await follow('webhooks', 'endpoints', 'list')).toEqual([]);
    expect(await follow('drift', ...file)).toHaveLength(1);
    await follow('doctor');
  });

  it.skipIf(!hasSshKeygen)('names no plan if the target demands approvals too', async () => {
    const { home } = await newUserInProcess();
    const key = createKey(home, 'ada');
    await writeFile(join(home, 'signers'), `ada@example.com ${key.publicKey}\n`);
    const approvals = ['--approvals', '1', '--signers', join(home, 'signers')];
    const user = await createProfileUser('--read-only', ...approvals);
    const words = [...user.flags, 'apply', ...(await user.declare('a')), '--yes', '-o', 'json'];
    expect(await followHints(user, words, createFollowed())).toEqual(['svc help read-only']);
  });
});

describe.skipIf(!hasSshKeygen)('with a target that demands approvals', () => {
  it('leads from plan over plan --out and approve to apply', async () => {
    const { home } = await newUserInProcess();
    const key = createKey(home, 'ada');
    await writeFile(join(home, 'signers'), `ada@example.com ${key.publicKey}\n`);
    const user = await createProfileUser('--approvals', '1', '--signers', join(home, 'signers'));
    const followed = createFollowed();
    const file = await user.declare('a');
    const named = "svc -p staging plan -f 'other settings.yaml' --out plan.json";
    const planned = await followHints(user, [...user.flags, 'plan', ...file], followed);
    expect(planned).toEqual([named]);
    const drift = await followHints(user, [...user.flags, 'drift', ...file], followed);
    expect(drift).toContain(named);
    // The file has what the service has: drift also names svc pull.
    await user.declare('a');
    const out = ['--out', 'plan.json'];
    const saved = await followHints(user, [...user.flags, 'plan', ...file, ...out], followed);
    expect(saved).toEqual(['svc approve plan.json']);
    const shown = await followHints(user, ['plan', 'show', 'plan.json'], followed);
    expect(shown).toEqual(['svc approve plan.json']);
    const plan = join(user.home, 'plan.json');
    const dialogue = startDialogueInProcess(['approve', plan, '--key', key.path], {
      HOME: user.home,
      PATH: String(process.env['PATH']),
    });
    await dialogue.answer(`Type ${user.host} to approve`, `${user.host}\r`);
    expect(await dialogue.ended, dialogue.text()).toBe(0);
    await dialogue.shows(`with all approvals beside the plan: svc -p staging apply ${plan}`);
    const applied = await user.svc(['-p', 'staging', 'apply', 'plan.json', '--yes']);
    expect(applied.code, applied.stderr).toBe(0);
  });
});
