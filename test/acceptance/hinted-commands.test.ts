import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { ADD_USERS, ndjsonUsers } from './bulk-service.ts';
import { newUserInProcess } from './in-process.ts';
import { failure, startMockService, success } from './mock-service.ts';
import { newUser, type Run } from './svc.ts';
import { runPasted } from './svc-for-shells.ts';
import { closeConnection, respondNormally, startTokenService } from './token-service.ts';

/** Returns the hint and the commands in the error of a run with `-o json`. */
function hintOf({ stderr }: Run): { readonly hint: string; readonly commands: readonly string[] } {
  const last = stderr.trimEnd().split('\n').at(-1) ?? '';
  const { hint = '', next = [] } = JSON.parse(last).error;
  const commands = next.map(({ command }: { command: readonly string[] }) =>
    command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' '),
  );
  return { hint, commands };
}

/** Returns the command in a hint: from `svc` up to the first word of the next sentence. */
function extractCommand(hint: string, end: RegExp): string {
  const [, command = expect.fail(hint)] =
    new RegExp(`(?<![\\w/])(svc .*?)(?:${end.source})`).exec(hint) ?? [];
  return command;
}

/** Certificate file whose name needs quotes. Over plain http, it only has to be readable. */
const CA_FILE = 'my ca.pem';

/** Creates a user, and flags for a service that no variable names. */
async function createUserWithFlags({
  SVC_BASE_URL = '',
  ...credentials
}: Readonly<Record<string, string>>) {
  const user = await newUserInProcess();
  await writeFile(join(user.home, CA_FILE), rootCertificates[0] ?? '');
  const flags = ['--base-url', SVC_BASE_URL, '--ca-file', CA_FILE, '--insecure-http'];
  return { user, flags, credentials };
}

/** Creates a user with the profile `staging` for a service. */
async function createUserWithProfile(env: Readonly<Record<string, string>>) {
  const user = await newUserInProcess();
  const { SVC_BASE_URL = '', SVC_AUTH_TOKEN = '', SVC_API_KEY = '', ...rest } = env;
  const secret = ['--auth-token-stdin', '--insecure-storage', '--no-verify'];
  const words = ['--base-url', SVC_BASE_URL, '--api-key', SVC_API_KEY, ...secret];
  const added = await user.svc(['profiles', 'add', 'staging', ...words], { stdin: SVC_AUTH_TOKEN });
  expect(added.code, added.stderr).toBe(0);
  // The first profile is the default, so the hint has to name the other one.
  const other = [
    'profiles',
    'add',
    'other',
    '--base-url',
    'http://127.0.0.1:9',
    '--api-key',
    'other',
  ];
  expect((await user.svc(other)).code).toBe(0);
  expect((await user.svc(['profiles', 'use', 'other'])).code).toBe(0);
  return { user, flags: ['-p', 'staging'], credentials: rest };
}

const RESET = ['auth-tokens', 'reset', '--api-key', 'key-1', '--yes', '-o', 'json'];

describe('after a reset whose new token was lost', () => {
  it('the hinted command resets the token at the same address', async () => {
    const service = await startTokenService(closeConnection(true), respondNormally);
    const { user, flags, credentials } = await createUserWithFlags(service.env);
    const lost = await user.svc([...flags, ...RESET], { env: credentials });
    expect(lost.code, lost.stderr).toBe(9);
    const [command = ''] = hintOf(lost).commands;
    const again = await runPasted(user, `${command} --yes -q`, credentials);
    expect(again).toMatchObject({ code: 0, stdout: `${service.current()}\n` });
  });

  it('the hinted command works for a profile, and auth recover prints the same one', async () => {
    const service = await startTokenService(closeConnection(true), respondNormally);
    const { user, flags, credentials } = await createUserWithProfile(service.env);
    const lost = await user.svc([...flags, ...RESET], { env: credentials });
    expect(lost.code, lost.stderr).toBe(9);
    const listed = await user.svc(['auth-tokens', 'recover', '-o', 'json'], { env: credentials });
    const [{ next }] = JSON.parse(listed.stdout);
    const command = extractCommand(`${next}\n`, /\n/);
    expect(`reset it again with the workspace credentials: ${command}`).toBe(hintOf(lost).hint);
    const again = await runPasted(user, `${command} --yes -q`, credentials);
    expect(again).toMatchObject({ code: 0, stdout: `${service.current()}\n` });
  });
});

describe('after a reset that auth recover has to finish', () => {
  it('the hinted command reports the state of the token', async () => {
    const service = await startTokenService((apply, response) => {
      service.goSilent();
      closeConnection(true)(apply, response);
    });
    const { user, flags, credentials } = await createUserWithFlags(service.env);
    const open = await user.svc([...flags, ...RESET], { env: credentials });
    expect(open.code, open.stderr).toBe(9);
    service.answerAgain();
    const [command = ''] = hintOf(open).commands;
    const recovered = await runPasted(user, `${command} -o json`, credentials);
    expect(recovered.code, recovered.stderr).toBe(0);
    expect(JSON.parse(recovered.stdout)).toMatchObject([{ state: 'lost' }]);
  });

  it('the hinted command prints the undelivered token and names no profile that would reject it', async () => {
    const service = await startTokenService();
    const { user, flags, credentials } = await createUserWithFlags(service.env);
    const kept = await user.svc([...flags, ...RESET, '--to', 'exec:false'], { env: credentials });
    expect(kept.code, kept.stderr).toBe(12);
    const { commands } = hintOf(kept);
    expect(commands).toHaveLength(1);
    const shown = await runPasted(user, `${commands[0]} -o json`, credentials);
    expect(JSON.parse(shown.stdout)).toMatchObject([{ state: 'kept', token: service.current() }]);
  });

  it('the hinted command saves the token in the profile that was used', async () => {
    const service = await startTokenService();
    const { user, flags, credentials } = await createUserWithProfile(service.env);
    const kept = await user.svc([...flags, ...RESET, '--to', 'exec:false'], { env: credentials });
    expect(kept.code, kept.stderr).toBe(12);
    const [show = '', save = ''] = hintOf(kept).commands;
    expect((await runPasted(user, show, credentials)).stdout).toContain(service.current());
    expect(await runPasted(user, save, credentials)).toMatchObject({ code: 0 });
    const profile = await user.svc(['profiles', 'show', 'staging', '--show-secrets', '-o', 'json']);
    expect(JSON.parse(profile.stdout).authToken).toBe(service.current());
  });
});

/**
 * Creates a service that rejects the credential from the second request on, until it
 * is set to accept it again.
 */
async function startStoppingService() {
  const came = new Set<string>();
  let [requests, isOpen] = [0, false];
  const { env } = await startMockService(({ body }) => {
    requests += 1;
    if (requests > 1 && !isOpen) return failure(401, 'UNAUTHENTICATED', 'Not any more.');
    const ids = (body.data['users'] as readonly { userId: string }[]).map(({ userId }) => userId);
    for (const id of ids) came.add(id);
    return success(Object.fromEntries(ids.map((id) => [id, { success: true }])));
  });
  return {
    env,
    came,
    goOn: () => {
      isOpen = true;
    },
  };
}

const IMPORT = [...ADD_USERS, '--batch-size', '10', '--concurrency', '1'];

describe('after a job that stopped', () => {
  it.each([
    { name: 'with flags for the service', prepare: createUserWithFlags },
    { name: 'with a profile', prepare: createUserWithProfile },
  ])('the hinted command finishes it, $name', async ({ prepare }) => {
    const service = await startStoppingService();
    const { user, flags, credentials } = await prepare(service.env);
    await writeFile(join(user.home, 'users.ndjson'), ndjsonUsers(30));
    const stopped = await user.svc([...flags, ...IMPORT], { env: credentials });
    expect(stopped.code, stopped.stderr).toBe(11);
    service.goOn();
    const [command = ''] = hintOf(stopped).commands;
    const resumed = await runPasted(user, command, credentials);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(service.came.size).toBe(30);
  });

  it('the command from jobs show finishes it, because the job remembers the flags', async () => {
    const service = await startStoppingService();
    const { user, flags, credentials } = await createUserWithFlags(service.env);
    await writeFile(join(user.home, 'users.ndjson'), ndjsonUsers(30));
    expect((await user.svc([...flags, ...IMPORT], { env: credentials })).code).toBe(11);
    service.goOn();
    const [job] = JSON.parse((await user.svc(['jobs', 'list', '-o', 'json'])).stdout);
    const { stdout } = await user.svc(['jobs', 'show', job.id]);
    const resumed = await runPasted(user, extractCommand(stdout, /\n/), credentials);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(service.came.size).toBe(30);
  });
});

/** Creates a user, and flags for an embedded service in a store whose path needs quotes. */
async function createUserWithStore() {
  const user = await newUserInProcess();
  return {
    user,
    flags: ['--local', '--store', join(user.home, 'my store.sqlite')],
    credentials: {},
  };
}

describe('with --local and a separate store', () => {
  it('the hinted command creates a missing organization', SLOW, async () => {
    const user = await newUser();
    const add = [
      '--local',
      '--store',
      'my store.sqlite',
      'groups',
      'add-users',
      '--org',
      "o'acme",
      '--group',
      'g1',
      '--user',
      'u1',
      '-o',
      'json',
    ];
    const missing = await user.svc(add);
    expect(missing.stderr).toContain("organization o'acme not found");
    const [command = ''] = hintOf(missing).commands;
    expect(await runPasted(user, command)).toMatchObject({ code: 0 });
    expect((await user.svc(add)).stderr).not.toContain("organization o'acme not found");
  });

  it('the hinted command accepts the fixed rejects of a file of IDs', async () => {
    const { user, flags } = await createUserWithStore();
    const add = (...words: readonly string[]) => user.svc([...flags, ...words, '-o', 'json']);
    expect((await add('users', 'add', '--org', 'acme', '--user', 'u1', '--name', 'Ada')).code).toBe(
      0,
    );
    expect((await add('groups', 'add', '--org', 'acme', '--group', 'g1')).code).toBe(0);
    await writeFile(join(user.home, 'ids.json'), '["x1","x2"]');
    const rejected = await add(
      'groups',
      'add-users',
      '--org',
      'acme',
      '--group',
      'g1',
      '--file',
      'ids.json',
    );
    expect(rejected.code, rejected.stderr).toBe(10);
    const [rejects = ''] = (await readdir(user.home)).filter((name) =>
      name.endsWith('.rejects.json'),
    );
    expect(JSON.parse(await readFile(join(user.home, rejects), 'utf8'))).toEqual(['x1', 'x2']);
    await writeFile(join(user.home, rejects), '["u1"]');
    const { hint } = hintOf(rejected);
    const sent = await runPasted(user, extractCommand(`${hint}\n`, /\n/));
    expect(sent.code, sent.stderr).toBe(0);
    expect(sent.stdout).toContain('Added user u1 to group g1 in acme');
  });
});

/**
 * Commands that fail with a hint that names other commands. They need only the flags that select a
 * service.
 */
const FAILING = [
  ['agents', 'get'],
  ['agents', 'get', 'nobody'],
  ['users', 'add', '--org', 'acme'],
  ['folders', 'list', '--no-such-flag'],
  ['folders', 'no-such-command'],
  ['no-such-command'],
  ['folders', 'tree'],
  ['jobs', 'resume'],
  ['jobs', 'show', '20260131-094500-5f3a9c'],
  ['schema', 'no-such-operation'],
  ['webhooks', 'replay'],
  ['documents', 'migration-status', '--org', 'acme'],
] as const;

describe.each([
  { name: 'flags for the service', prepare: createUserWithFlags },
  { name: 'a profile', prepare: createUserWithProfile },
  { name: '--local and --store', prepare: createUserWithStore },
])('each hinted command is accepted when it is pasted, with $name', ({ prepare }) => {
  it.each(FAILING.map((words) => ({ line: words.join(' '), words })))(
    'after svc $line',
    async ({ words }) => {
      const { env } = await startMockService(() => failure(404, 'NOT_FOUND', 'Nobody is here.'));
      const { user, flags, credentials } = await prepare(env);
      const failed = await user.svc([...flags, ...words, '-o', 'json'], { env: credentials });
      const { commands } = hintOf(failed);
      expect(commands, failed.stderr).not.toEqual([]);
      for (const command of commands) {
        const pasted = await runPasted(user, command, credentials);
        expect(pasted.code, `${command}: ${pasted.stderr}`).not.toBe(2);
        // With the right service, the worst result of the command is an empty one.
        expect(pasted.stderr).not.toMatch(/cannot reach|not configured/);
      }
    },
  );
});
