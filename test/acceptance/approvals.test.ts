import { createHash } from 'node:crypto';
import {
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Journal } from '../../src/bulk/journal/journal.ts';
import { formatCanonicalJson } from '../../src/kernel/json.ts';
import { formatStatement } from '../../src/settings/plan/approval.ts';
import type { SavedPlan } from '../../src/settings/plan/saved-plan.ts';
import { SLOW } from '../slow.ts';
import { createKey, hasSshKeygen, signText } from '../ssh-keygen.ts';
import { createApplyUser, settingsOf } from './apply-user.ts';
import { startDialogueInProcess } from './dialogue.ts';

const HOUR = 60 * 60 * 1000;
/** Ways around the protection, which a refusal must not name. */
const WAYS_AROUND = /SVC_ALLOW|--yes|--show-secrets|--no-approvals|--signers|profiles update|unset/;

/** A user whose profile demands approvals of Ada and Bob, with a saved plan. */
async function createApprovalUser({ approvals = 1 } = {}) {
  const user = await createApplyUser();
  const { home, svc, env } = user;
  const keys = {
    ada: createKey(home, 'ada'),
    bob: createKey(home, 'bob'),
    eve: createKey(home, 'eve'),
  };
  const { ada, bob } = keys;
  await writeFile(
    join(home, 'signers'),
    `# People who approve plans.\nada@example.com ${ada.publicKey}\nbob@example.com ${bob.publicKey} Bob\n`,
  );
  await writeFile(join(home, 'token.txt'), env.SVC_AUTH_TOKEN);
  const address = ['--base-url', env.SVC_BASE_URL, '--api-key', env.SVC_API_KEY];
  const secret = ['--auth-token-file', 'token.txt', '--insecure-storage', '--no-verify'];
  const rule = ['--approvals', String(approvals), '--signers', 'signers'];
  const add = ['profiles', 'add', 'prod', ...address, ...secret, ...rule];
  expect(await svc(add)).toMatchObject({ code: 0 });
  await user.declare(settingsOf('acme'));
  expect(await svc(['plan', '--out', 'plan.json'])).toMatchObject({ code: 0 });
  const readPlan = async (): Promise<SavedPlan> =>
    JSON.parse(await readFile(join(home, 'plan.json'), 'utf8'));
  user.requests.length = 0;
  return {
    ...user,
    keys,
    readPlan,
    apply: () => svc(['apply', 'plan.json', '--yes']),
    /** Writes an approval beside the plan, signed with OpenSSH itself. */
    approve: async (
      name: keyof typeof keys,
      {
        file = name as string,
        age = 0,
        namespace = 'svc-plan',
        plan = undefined as object | undefined,
      } = {},
    ) => {
      const signedAt = new Date(Date.now() - age).toISOString();
      const statement = formatStatement({ ...(await readPlan()), ...plan }, signedAt);
      const approval = statement + signText(keys[name].path, statement, namespace);
      await writeFile(join(home, `plan.json.${file}.approval`), approval);
    },
  };
}

type ApprovalUser = Awaited<ReturnType<typeof createApprovalUser>>;

/** Expects a refusal with its reason, no request, and no way around it. */
async function expectRefusal(user: ApprovalUser, reason: string, words?: readonly string[]) {
  user.requests.length = 0;
  const { code, stdout, stderr } = await (words ? user.svc(words) : user.apply());
  expect([code, stdout], stderr).toEqual([4, '']);
  expect(stderr).toContain(reason);
  expect(stderr).toContain('; nothing was sent');
  expect(stderr).not.toMatch(WAYS_AROUND);
  expect(user.requests).toEqual([]);
}

describe.skipIf(!hasSshKeygen)('a profile that demands approvals', () => {
  it('applies exactly the plan that a person approved on a terminal', async () => {
    const user = await createApprovalUser();
    const { home, keys, env } = user;
    await expectRefusal(user, 'the plan has 0 of 1 approval');
    const plan = join(home, 'plan.json');
    const dialogue = startDialogueInProcess(['approve', plan, '--key', keys.ada.path], {
      ...env,
      HOME: home,
      PATH: String(process.env['PATH']),
    });
    const { host } = new URL(env.SVC_BASE_URL);
    await dialogue.shows('Plan: ');
    await dialogue.shows('Access: ');
    await dialogue.answer(`Type ${host} to approve`, `${host}\r`);
    expect(await dialogue.ended, dialogue.text()).toBe(0);
    await dialogue.shows('ED25519 key SHA256:');
    await dialogue.shows('(in a file)');
    expect(user.requests).toEqual([]);
    expect(await user.apply()).toMatchObject({ code: 0 });
    expect(user.writes().length).toBeGreaterThan(5);
    const applied = user.requests.length;
    const replayed = await user.apply();
    expect([replayed.code, replayed.stderr]).toEqual([
      15,
      expect.stringContaining('applied before'),
    ]);
    expect(user.requests).toHaveLength(applied);
  });

  it('signs nothing if the typed name is wrong, or without a terminal', async () => {
    const user = await createApprovalUser();
    const { home, keys, env } = user;
    const words = ['approve', join(home, 'plan.json'), '--key', keys.ada.path];
    const variables = { ...env, HOME: home, PATH: String(process.env['PATH']) };
    const dialogue = startDialogueInProcess([...words, '--yes'], variables);
    for (const typed of ['prod', 'staging', 'prod.example.com'])
      await dialogue.answer('to approve', `${typed}\r`);
    expect(await dialogue.ended).toBe(2);
    await dialogue.shows('the typed name does not match the target; nothing was signed');
    expect(await user.svc([...words, '--yes'])).toMatchObject({
      code: 2,
      stderr: 'svc: a person must approve a plan on a terminal; nothing was signed\n',
    });
    expect((await readdir(home)).filter((name) => name.endsWith('.approval'))).toEqual([]);
  });

  it('lists the plans that wait in a pipe, and lets a person choose one on a terminal', async () => {
    const user = await createApprovalUser();
    const { home, keys, svc } = user;
    const file = join(home, 'svc.yaml');
    const settings = await readFile(file, 'utf8');
    await writeFile(file, `environments:\n  live: { profile: prod }\n${settings}`);
    const planned = await svc(['plan', '-f', file, '--env', 'live', '--out', 'live.json']);
    expect(planned).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('approve live.json'),
    });
    await writeFile(join(home, 'other.json'), '{"svc":1}');
    await user.approve('ada');
    const listed = await svc(['approve', '-o', 'json']);
    const { SVC_BASE_URL: url, SVC_API_KEY: apiKey } = user.env;
    const target = { url, apiKey, profile: 'prod' };
    expect([listed.code, JSON.parse(listed.stdout)]).toEqual([
      0,
      [
        expect.objectContaining({
          file: 'plan.json',
          target: expect.objectContaining({ ...target, environment: null }),
          approvals: 1,
          required: 1,
        }),
        expect.objectContaining({
          file: 'live.json',
          target: { ...target, environment: 'live' },
          approvals: 0,
        }),
      ],
    ]);
    const table = await svc(['approve'], { CI: '1' });
    expect(table.stdout).toMatch(/\nlive\.json .* 0 of 1 approval\n$/);
    expect((await readdir(home)).filter((name) => name.endsWith('.approval'))).toHaveLength(1);
    // The settings file maps the environment to the host.
    const variables = { ...user.env, HOME: home, PATH: String(process.env['PATH']) };
    const words = ['approve', join(home, 'live.json'), '--key', keys.ada.path];
    const dialogue = startDialogueInProcess(words, variables);
    await dialogue.answer('to approve', 'prod\r');
    await dialogue.answer('try again', 'live\r');
    expect(await dialogue.ended, dialogue.text()).toBe(0);
    await writeFile(file, settings);
    const changed = startDialogueInProcess(words, variables);
    await changed.answer('to approve', 'live\r');
    await changed.shows('the typed name is not');
    changed.type('\u0003');
    expect(await changed.ended).toBe(130);
  });

  it('needs as many different signers as it says', SLOW, async () => {
    const user = await createApprovalUser({ approvals: 2 });
    await user.approve('ada');
    await expectRefusal(user, 'the plan has 1 of 2 approvals');
    await user.approve('ada', { file: 'bob' });
    await expectRefusal(
      user,
      'plan.json.bob.approval is by the same signer as plan.json.ada.approval',
    );
    await user.approve('bob');
    expect(await user.apply()).toMatchObject({ code: 0 });
  });

  it('counts a key with two names and a name with two keys once', SLOW, async () => {
    const user = await createApprovalUser({ approvals: 2 });
    const { ada, bob, eve } = user.keys;
    const demand = async (signers: string) => {
      await writeFile(join(user.home, 'others'), signers);
      await user.svc(['profiles', 'remove', 'prod', '--yes']);
      const add = ['profiles', 'add', 'prod', '--base-url', user.env.SVC_BASE_URL];
      await user.svc([...add, '--approvals', '2', '--signers', 'others']);
    };
    await user.approve('ada');
    await user.approve('eve');
    await demand(`ada ${ada.publicKey}\nada ${eve.publicKey}\nbob ${bob.publicKey}\n`);
    await expectRefusal(user, 'the plan has 1 of 2 approvals');
    await user.approve('ada', { file: 'eve' });
    await demand(`ada ${ada.publicKey}\neve ${ada.publicKey}\nbob ${bob.publicKey}\n`);
    await expectRefusal(user, 'the plan has 1 of 2 approvals');
  });

  it.each<[string, string, (user: ApprovalUser) => Promise<unknown>]>([
    ['without an approval', 'has 0 of 1 approval', async () => undefined],
    [
      'with an expired one',
      'is older than 24 hours',
      ({ approve }) => approve('ada', { age: 25 * HOUR }),
    ],
    ['with one of the future', 'in the future', ({ approve }) => approve('ada', { age: -HOUR })],
    ['with a foreign one', 'was not signed by an allowed key', ({ approve }) => approve('eve')],
    [
      'with one for another purpose',
      'has no valid signature (namespace does not match)',
      ({ approve }) => approve('ada', { namespace: 'file' }),
    ],
    [
      'with one of another plan',
      'approves another plan',
      ({ approve }) => approve('ada', { plan: { sha256: 'a'.repeat(64) } }),
    ],
    [
      'with one for another target',
      'has no valid signature (incorrect signature)',
      ({ approve }) => approve('ada', { plan: { target: { url: 'https://test.example.com' } } }),
    ],
    [
      'with an edited time',
      'has no valid signature (incorrect signature)',
      async ({ approve, home }) => {
        await approve('ada', { age: 25 * HOUR });
        const path = join(home, 'plan.json.ada.approval');
        const text = await readFile(path, 'utf8');
        await writeFile(path, text.replace(/signed: .*/, `signed: ${new Date().toISOString()}`));
      },
    ],
    [
      'with a damaged one',
      'plan.json.ada.approval is not an approval',
      ({ home }) => writeFile(join(home, 'plan.json.ada.approval'), 'yes\n'),
    ],
    [
      'with a folder in place of one',
      'plan.json.ada.approval is not an approval',
      ({ home }) => mkdir(join(home, 'plan.json.ada.approval')),
    ],
    [
      'with an edited plan',
      'approves another plan',
      async ({ approve, home, readPlan }) => {
        await approve('ada');
        const { sha256: _, ...plan } = await readPlan();
        const edited = { ...plan, profile: 'prod' };
        const sha256 = createHash('sha256').update(formatCanonicalJson(edited)).digest('hex');
        await writeFile(join(home, 'plan.json'), JSON.stringify({ ...edited, sha256 }));
      },
    ],
    [
      'with a damaged file of signers',
      'signers is damaged: line 1',
      async ({ approve, home }) => {
        await approve('ada');
        await writeFile(join(home, 'signers'), 'ada@example.com\n');
      },
    ],
    [
      'without the file of signers',
      'signers does not exist',
      async ({ approve, home }) => {
        await approve('ada');
        await rm(join(home, 'signers'));
      },
    ],
    [
      'with another file of signers',
      'has changed since a person saved it in the profile',
      async ({ approve, home, keys }) => {
        await approve('eve');
        await writeFile(join(home, 'signers'), `eve@example.com ${keys.eve.publicKey}\n`);
      },
    ],
  ])('refuses a plan %s', async (_, reason, prepare) => {
    const user = await createApprovalUser();
    await prepare(user);
    await expectRefusal(user, reason);
  });

  it('runs the ssh-keygen that the profile was saved with, not one of the path', async () => {
    const user = await createApprovalUser();
    const { home, requests } = user;
    const folder = join(home, 'bin');
    await mkdir(folder);
    const answers =
      'case "$2" in find-principals) echo ada@example.com ;; *) echo " key SHA256:x" ;; esac';
    await writeFile(join(folder, 'ssh-keygen'), `#!/bin/sh\n${answers}\n`, { mode: 0o755 });
    await user.approve('eve');
    const PATH = `${folder}:${process.env['PATH']}`;
    requests.length = 0;
    const { code, stderr } = await user.svc(['apply', 'plan.json', '--yes'], { PATH });
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('was not signed by an allowed key'),
    ]);
    expect(requests).toEqual([]);
  });

  it.each([
    { program: '/nonexistent/ssh-keygen', mode: 0o755 },
    { program: 'open/ssh-keygen', mode: 0o777 },
    { program: 'links/ssh-keygen', mode: 0o755 },
  ])('refuses to run $program', async ({ program, mode }) => {
    const user = await createApprovalUser();
    const { home } = user;
    const path = resolve(home, program);
    await mkdir(join(home, 'open'));
    await writeFile(join(home, 'open', 'ssh-keygen'), '#!/bin/sh\n', { mode });
    await chmod(join(home, 'open', 'ssh-keygen'), mode);
    // Others can replace the link, but not the program that it names.
    await mkdir(join(home, 'links'));
    await symlink('/usr/bin/ssh-keygen', join(home, 'links', 'ssh-keygen'));
    await chmod(join(home, 'links'), 0o777);
    const file = join(home, '.config', 'svc', 'profiles.json');
    const profiles = JSON.parse(await readFile(file, 'utf8'));
    profiles.profiles.prod.signers.sshKeygen = path;
    await writeFile(file, JSON.stringify(profiles));
    await user.approve('ada');
    await expectRefusal(user, `${path} is missing, or others can replace it`);
  });

  it('counts names that differ only in case once', SLOW, async () => {
    const user = await createApprovalUser({ approvals: 2 });
    const { home, keys, svc } = user;
    const { ada, bob } = keys;
    await writeFile(
      join(home, 'others'),
      `ada@example.com ${ada.publicKey}\nAda@Example.com ${bob.publicKey}\n`,
    );
    await svc(['profiles', 'remove', 'prod', '--yes']);
    const add = ['profiles', 'add', 'prod', '--base-url', user.env.SVC_BASE_URL];
    await svc([...add, '--approvals', '2', '--signers', 'others']);
    await user.approve('ada');
    await user.approve('bob');
    await expectRefusal(user, 'the plan has 1 of 2 approvals');
  });

  it('finds a valid approval among any number of other files, and names the approver', async () => {
    const user = await createApprovalUser();
    const { home, svc } = user;
    for (let at = 0; at < 150; at += 1)
      await writeFile(join(home, `plan.json.${String(at).padStart(4, '0')}.approval`), 'nothing');
    await expectRefusal(user, '145 more files without a valid approval');
    await user.approve('ada', { file: 'zz' });
    const { code, stdout } = await svc(['apply', 'plan.json', '--yes', '-o', 'json']);
    const applied = JSON.parse(stdout);
    expect([code, applied.approvedBy]).toEqual([0, ['ada@example.com']]);
    expect((await svc(['jobs', 'show', applied.job])).stdout).toMatch(
      /approved by +ada@example\.com/,
    );
  });

  it('applies a plan once, also with another state folder, a link, or a copy', async () => {
    const user = await createApprovalUser();
    const { home, svc, control } = user;
    await user.approve('ada');
    control.intercept = ({ isWrite }) =>
      isWrite ? { status: 'UNAUTHENTICATED', message: 'Not yet.' } : undefined;
    expect(await user.apply()).toMatchObject({ stderr: expect.stringContaining('Not yet.') });
    // Nothing was applied.
    control.intercept = () => undefined;
    expect(await user.apply()).toMatchObject({ code: 0 });
    const sent = user.writes().length;
    await symlink('plan.json', join(home, 'link.json'));
    await copyFile(join(home, 'plan.json'), join(home, 'copy.json'));
    for (const name of ['plan.json', 'link.json', 'copy.json']) {
      if (name !== 'plan.json')
        await copyFile(join(home, 'plan.json.ada.approval'), join(home, `${name}.ada.approval`));
      const other = { XDG_STATE_HOME: join(home, `state of ${name}`) };
      const again = await svc(['apply', name, '--yes'], other);
      expect([again.code, again.stderr]).toEqual([15, expect.stringContaining('applied before')]);
    }
    expect(user.writes()).toHaveLength(sent);
  });

  it('sends only what was approved if the journal of a stopped job was changed', SLOW, async () => {
    const user = await createApprovalUser();
    await user.approve('ada');
    const job = await stopApply(user);
    const state = join(user.home, '.local', 'state', 'svc');
    const journal = await Journal.open(join(state, 'jobs', job, 'journal.sqlite'));
    const plan = JSON.parse(JSON.stringify(journal.getFact('plan')));
    for (const { operation, items } of plan.writes)
      for (const item of items) {
        if (operation === 'documents.add') item.data.documentName = 'Changed';
      }
    journal.setFact('plan', plan);
    journal.flush('durable');
    journal.close();
    const sent = user.writes().length;
    const resumed = await user.svc(['jobs', 'resume', job]);
    expect(resumed.code, resumed.stderr).toBe(10);
    expect(JSON.stringify(user.writes().slice(sent))).not.toContain('Changed');
  });

  it(
    'refuses settings that are not in a saved plan, and a plan of undo that is not approved',
    SLOW,
    async () => {
      const user = await createApprovalUser();
      await expectRefusal(user, "accepts only approved plans (set by profile 'prod')", [
        'apply',
        '--yes',
      ]);
      await user.approve('ada');
      expect(await user.apply()).toMatchObject({ code: 0 });
      expect(await user.svc(['undo', '--out', 'undo.json'])).toMatchObject({ code: 0 });
      await expectRefusal(user, 'has 0 of 1 approval', ['apply', 'undo.json', '--yes']);
    },
  );

  it('names the signers and where their keys are in svc doctor', async () => {
    const user = await createApprovalUser();
    const { home, keys, svc } = user;
    const run = async () => {
      const { stdout } = await svc(['doctor', '-o', 'json'], { HOME: home });
      const findings: readonly { readonly name: string; readonly detail: string }[] =
        JSON.parse(stdout);
      return new Map(findings.map(({ name, detail }) => [name, detail]));
    };
    const found = await run();
    expect(found.get('approvals')).toContain(
      'plans need 1 approval by: ada@example.com (ssh-ed25519, in a file), bob@example.com',
    );
    expect(found.get('approvals')).toContain('this binds svc, not the token');
    expect(found.get('signing-key')).toContain('contains no SSH key');
    await mkdir(join(home, '.ssh'));
    await copyFile(keys.ada.path, join(home, '.ssh', 'id_ed25519'));
    expect((await run()).get('signing-key')).toContain('ED25519 key in a file');
  });

  it('resumes a job with the approvals of its plan', SLOW, async () => {
    const user = await createApprovalUser();
    await user.approve('ada');
    const job = await stopApply(user);
    await rm(join(user.home, 'plan.json.ada.approval'));
    expect(await user.svc(['jobs', 'resume', job])).toMatchObject({ code: 0 });
  });

  it('resumes no job that was started without approvals', async () => {
    const user = await createApprovalUser();
    const { home, svc, env } = user;
    await svc(['profiles', 'remove', 'prod', '--yes']);
    await svc([
      'profiles',
      'add',
      'prod',
      '--base-url',
      env.SVC_BASE_URL,
      '--api-key',
      env.SVC_API_KEY,
    ]);
    const job = await stopApply(user);
    const demand = ['profiles', 'update', 'prod', '--approvals', '1', '--signers'];
    expect(await svc([...demand, join(home, 'signers')])).toMatchObject({ code: 0 });
    await expectRefusal(user, 'the plan has 0 of 1 approval', ['jobs', 'resume', job]);
  });
});

/** Applies the plan until the service limits the rate. Returns the ID of the stopped job. */
async function stopApply(user: ApprovalUser): Promise<string> {
  user.control.intercept = ({ path }) =>
    path.includes('documents/add') ? { status: 'RESOURCE_EXHAUSTED', message: 'later' } : undefined;
  const stopped = await user.svc(['apply', 'plan.json', '--yes', '--no-wait']);
  expect(stopped.code, stopped.stderr).toBe(11);
  user.control.intercept = () => undefined;
  const [job] = JSON.parse((await user.svc(['jobs', 'list', '-o', 'json'])).stdout);
  return job.id;
}
