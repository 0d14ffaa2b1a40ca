import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSnapshots } from '../../src/service/local/snapshots/snapshots.ts';
import { copyAsKilled } from '../copy-as-killed.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { type ApplyUser, createApplyUser, settingsOf } from './apply-user.ts';

const MOMENTS = repeats(10);

async function findJob({ svc }: ApplyUser): Promise<string> {
  return JSON.parse((await svc(['jobs', 'list', '-o', 'json'])).stdout)[0].id;
}

describe('svc apply', () => {
  it('makes the changes of a settings file, after which the plan is empty', async () => {
    const user = await createApplyUser();
    await user.declare(settingsOf('acme'));
    const { code, stdout, stderr } = await user.svc(['apply', '--yes']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n\n')[0]).toBe(user.env.SVC_BASE_URL);
    expect(stdout).toContain('\nPlan: 7 to create, 2 to update, 4 to send\n');
    const [applied, ...next] = stdout
      .slice(stdout.indexOf('\nApplied: ') + 1)
      .trimEnd()
      .split('\n');
    expect(applied).toBe('Applied: 7 created, 2 updated, 4 sent');
    const secrets = next.slice(0, -1);
    expect(secrets).toHaveLength(2);
    for (const [at, line] of secrets.entries()) {
      const [name = '', command = ''] = line.split(': svc ');
      expect(name).toBe(`signing secret of acme.${['first', 'second'][at]}`);
      expect(await user.svc([...command.split(' '), '-q'])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^whsec_/),
      });
    }
    expect(next.at(-1)).toBe(`undo: svc undo ${await findJob(user)}`);
    expect(await user.svc(['plan', '--exit-code'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('\n\nNo changes'),
    });
    const written = user.writes().length;
    expect((await user.svc(['apply', '--yes'])).stdout).toContain('\n\nNo changes');
    expect(user.writes()).toHaveLength(written);
  });

  it('names svc pull if there is no settings file', async () => {
    const user = await createApplyUser();
    for (const command of ['plan', 'apply', 'drift']) {
      const { code, stderr } = await user.svc([command]);
      expect([code, stderr]).toEqual([
        2,
        'svc: file not found: svc.yaml\nhint: create it from the live settings with svc pull, or name another file with --file\n',
      ]);
    }
  });

  it('reads each record once to plan a change, and once to check the result, besides the values that it replaces', async () => {
    const user = await createApplyUser();
    await user.declare('config: { webhook: { useWebhookService: true } }');
    expect((await user.svc(['apply', '--yes'])).code).toBe(0);
    const paths = user.requests.map(({ path }) => path.split('/').at(-1));
    expect(paths).toEqual(['get', 'get', 'update', 'get', 'get']);
  });

  it('prints the plan with the job and the number of failures as JSON', async () => {
    const user = await createApplyUser();
    await user.declare(settingsOf('acme'));
    const result = JSON.parse((await user.svc(['apply', '--yes', '-o', 'json'])).stdout);
    const counts = { create: 7, update: 2, replace: 0, delete: 0, send: 4 };
    expect(result).toMatchObject({
      summary: counts,
      applied: counts,
      failed: 0,
      unknown: 0,
      skipped: 0,
      failures: [],
    });
    expect(result.job).toBe(await findJob(user));
    expect(result.target.url).toBe(user.env.SVC_BASE_URL);
    const empty = JSON.parse((await user.svc(['apply', '--yes', '-o', 'json'])).stdout);
    expect(empty).toMatchObject({ changes: [], job: null, failed: 0 });
  });

  it('needs --yes without a terminal, and then sends nothing', async () => {
    const user = await createApplyUser();
    await user.declare(settingsOf('acme'));
    const { code, stderr } = await user.svc(['apply']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      'confirmation required: Apply these changes (7 to create, 2 to update, 4 to send)?',
    );
    expect(user.writes()).toEqual([]);
  });

  it(
    'asks on a terminal, and sends nothing after a no, or if the service has changed',
    SLOW,
    async () => {
      const user = await createApplyUser();
      await user.declare(settingsOf('acme'));
      const question = 'Apply these changes (7 to create, 2 to update, 4 to send)?';
      const declined = user.dialogue('apply');
      await declined.answer(question, '\r');
      expect(await declined.ended, declined.text()).toBe(2);
      const outdated = user.dialogue('apply');
      await outdated.shows(question);
      await user.read('/v2/workspace/webhookconfig/update', { useWebhookService: true });
      await outdated.answer(question, 'y\r');
      expect(await outdated.ended, outdated.text()).toBe(15);
      expect(user.writes()).toEqual([]);
      const confirmed = user.dialogue('apply');
      await confirmed.answer('Apply these changes', 'y\r');
      expect(await confirmed.ended, confirmed.text()).toBe(0);
      expect(confirmed.text()).toContain('Applied: 7 created, 2 updated, 4 sent');
      expect(await user.svc(['plan', '--exit-code'])).toMatchObject({ code: 0 });
    },
  );

  it('applies the rest after a failure, exits with 10, and can be resumed', SLOW, async () => {
    const user = await createApplyUser();
    await user.declare(settingsOf('acme'));
    user.control.intercept = ({ path, data }) => {
      const isFailing = path.endsWith('/folders/add') && data.folders[0].folderId === 'b';
      return isFailing ? { status: 'FAILED_PRECONDITION', message: 'no folders today' } : undefined;
    };
    const { code, stdout, stderr } = await user.svc(['apply', '--yes']);
    expect(code).toBe(10);
    expect(stdout).toContain('Applied: 4 created, 2 updated, 4 sent, 3 failed\n');
    expect(stdout).toMatch(/b +no folders today +failed_precondition\n/);
    expect(stdout).toMatch(/c +not sent, because it requires b \(folders\) +not_sent\n/);
    expect(stderr).toContain(
      `svc: 3 of 16 changes failed\nhint: to resume, run svc jobs resume ${await findJob(user)}\n`,
    );
    user.control.intercept = () => undefined;
    const job = await findJob(user);
    const resumed = await user.svc(['jobs', 'resume']);
    expect(resumed).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Applied: 3 created, 10 already there\n'),
    });
    expect(resumed.stdout).toMatch(new RegExp(`\nundo: svc undo ${job}\n$`));
    expect(await user.svc(['plan', '--exit-code'])).toMatchObject({ code: 0 });
  });

  it(
    'exits with 9 if the outcome of a write is unknown, and settles it when it resumes',
    SLOW,
    async () => {
      const user = await createApplyUser();
      await user.declare(settingsOf('acme'));
      user.control.intercept = async ({ path, handle }) => {
        if (!path.endsWith('/webhookconfig/update')) return undefined;
        await handle();
        return { status: 'INTERNAL', message: 'lost' };
      };
      const { code, stdout } = await user.svc(['apply', '--yes', '--max-wait', '1s']);
      expect({ code, stdout: stdout.slice(stdout.indexOf('Applied')) }).toMatchObject({
        code: 9,
        stdout: expect.stringContaining('Applied: 7 created, 1 updated, 4 sent, 1 unknown\n'),
      });
      user.control.intercept = () => undefined;
      expect(await user.svc(['jobs', 'resume'])).toMatchObject({ code: 0 });
      expect(await user.svc(['plan', '--exit-code'])).toMatchObject({ code: 0 });
    },
  );

  it('fails if the service stores another value, and names the field', async () => {
    const user = await createApplyUser();
    await user.declare(settingsOf('acme'));
    user.control.intercept = ({ path, data }) => {
      if (path.endsWith('/endpoints/create')) data.url = 'https://other.example.com/';
      return undefined;
    };
    const { code, stdout } = await user.svc(['apply', '--yes']);
    expect(code).toBe(10);
    expect(stdout).toMatch(/acme\.first +written, but the service has url "https:\/\/other/);
  });
});

describe('the job of svc apply', () => {
  it('is listed, shown, watched, and removed like every job', async () => {
    const user = await createApplyUser();
    await user.declare(settingsOf('acme'));
    await user.svc(['apply', '--yes']);
    const job = await findJob(user);
    expect(JSON.parse((await user.svc(['jobs', 'show', job, '-o', 'json'])).stdout)).toMatchObject({
      id: job,
      operation: 'apply',
      state: 'done',
      input: { path: join(user.home, 'svc.yaml') },
      counts: { total: 16, succeeded: 16 },
    });
    expect(await user.svc(['jobs', 'watch', job])).toMatchObject({
      code: 0,
      stdout: /^16 changes: 16 succeeded/,
    });
    expect(await user.svc(['jobs', 'resume', job])).toMatchObject({
      code: 0,
      stdout: /^16 changes: 16 succeeded/,
    });
    expect(await user.svc(['jobs', 'show', job, '--html', '--file', '-'])).toMatchObject({
      code: 0,
    });
    expect(await user.svc(['jobs', 'remove', job])).toMatchObject({ code: 0 });
  });

  it(
    'stops after the write in flight on Ctrl-C, and prints the command that resumes it',
    SLOW,
    async () => {
      const user = await createApplyUser();
      await user.declare(settingsOf('acme'));
      const running = user.start('apply', '--yes');
      user.control.intercept = async ({ path, handle }) => {
        if (!path.endsWith('/documents/add')) return undefined;
        running.kill('SIGINT');
        await new Promise((resolve) => setTimeout(resolve, 300));
        await handle();
        return undefined;
      };
      const { code, stderr, stdout } = await running.ended;
      const written = user.writes().length;
      expect(code).toBe(130);
      expect(stdout).toMatch(/Applied: 4 created, 1 sent, 11 not sent\n$/);
      const [, command = ''] = /hint: to resume, run svc (.*)\n/.exec(stderr) ?? [];
      expect(command).toBe(`jobs resume ${await findJob(user)}`);
      expect(user.writes()).toHaveLength(written);
      user.control.intercept = () => undefined;
      expect(await user.svc(command.split(' '))).toMatchObject({ code: 0 });
      expect(await user.svc(['plan', '--exit-code'])).toMatchObject({ code: 0 });
    },
  );

  it(`ends in the planned state after kills at ${MOMENTS} moments`, {
    ...SLOW,
    timeout: repeats(120_000),
  }, async ({ annotate }) => {
    const user = await createApplyUser();
    const snapshots = createSnapshots(user.service.path);
    const expectPlanned = async (jobs: number, env: Readonly<Record<string, string>> = {}) => {
      const resumed = await user.svc(['jobs', 'resume'], env);
      // The last run may have finished before it was killed.
      expect(resumed.stderr.replace(/^resuming job .*\n/, '')).toMatch(/^$|no job is stopped/);
      expect(await user.svc(['plan', '--exit-code'], env)).toMatchObject({
        code: 0,
        stdout: /^No changes/,
      });
      const { endpoints } = await user.read('/v2/workspace/advancedwebhook/endpoints/get', {
        limit: 250,
      });
      expect(endpoints).toHaveLength(2 * jobs);
    };
    let [kills, moments, jobs] = [0, 0, 0];
    while (moments + kills < MOMENTS) {
      jobs += 1;
      await user.declare(settingsOf(`org${jobs}`));
      let countdown = 0;
      let running: ReturnType<typeof user.start> | undefined;
      /**
       * Folders as a kill would leave them. The snapshot of the same name has the service's data.
       */
      const copies: string[] = [];
      let copying = Promise.resolve();
      const keepCopy = async (victim: NonNullable<typeof running>, handle = async () => {}) => {
        copying = copying.then(async () => {
          if (victim !== running) return;
          const copy = await copyAsKilled(victim, user.home);
          await handle();
          await snapshots.save(basename(copy));
          copies.push(copy);
        });
        await copying;
      };
      user.control.intercept = async ({ isWrite, handle }) => {
        if (!isWrite || !running) return undefined;
        const [phase, victim] = [Math.random(), running];
        countdown -= 1;
        // The files of a copy do not know about later writes, so its snapshot must not have them.
        await copying;
        if (phase < 0.2) await keepCopy(victim);
        else if (phase < 0.4) await keepCopy(victim, handle);
        else if (phase < 0.6) await handle().then(() => keepCopy(victim));
        else if (phase < 0.8) setTimeout(() => keepCopy(victim), Math.random() * 10);
        await copying;
        if (countdown > 0) return undefined;
        if (phase < 0.3) victim.kill('SIGKILL');
        await handle();
        if (phase > 0.6) setTimeout(() => victim.kill('SIGKILL'), Math.random() * 10);
        else victim.kill('SIGKILL');
        return undefined;
      };
      for (const words of [
        ['apply', '--yes'],
        ['jobs', 'resume'],
      ]) {
        countdown = 1 + Math.floor(Math.random() * 10);
        running = user.start(...words);
        const { code } = await running.ended;
        running = undefined;
        await copying;
        if (code === null) kills += 1;
      }
      await expectPlanned(jobs);
      await snapshots.save('main');
      for (const copy of copies) {
        await snapshots.restore(basename(copy));
        await expectPlanned(jobs, { HOME: copy });
      }
      await snapshots.restore('main');
      moments += copies.length;
    }
    await annotate(`${moments} moments and ${kills} kills of ${jobs} jobs`);
  });
});

describe('svc apply of a saved plan', () => {
  const FOLDERS = '/v2/organizations/folders';

  async function savePlan() {
    const user = await createApplyUser();
    await user.declare(settingsOf('acme'));
    await user.svc(['apply', '--yes']);
    await user.declare(
      settingsOf('acme')
        .replace('B, parent', 'B2, parent')
        .replaceAll('comment.add', 'comment.update'),
    );
    expect(await user.svc(['plan', '--out', 'plan.json'])).toMatchObject({ code: 0 });
    user.requests.length = 0;
    return user;
  }

  it('makes exactly its changes, once', async () => {
    const user = await savePlan();
    expect(await user.svc(['apply', 'plan.json', '--yes'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\nApplied: 2 updated\nundo: svc undo \S+\n$/),
    });
    expect(user.writes().map(({ path }) => path)).toEqual([
      `${FOLDERS}/update`,
      '/v2/workspace/advancedwebhook/endpoints/update',
    ]);
    await user.service.call(`${FOLDERS}/update`, {
      organizationId: 'acme',
      folders: [{ folderId: 'b', folderName: 'B' }],
    });
    user.requests.length = 0;
    expect(await user.svc(['apply', 'plan.json', '--yes'])).toMatchObject({
      code: 15,
      stderr: expect.stringContaining(
        'plan.json cannot be applied: the plan was applied before; nothing was sent',
      ),
    });
    expect(user.writes()).toEqual([]);
  });

  const ENDPOINTS = '/v2/workspace/advancedwebhook/endpoints';
  it.each<[string, (user: ApplyUser) => Promise<unknown>, env?: Record<string, string>]>([
    [
      'folders/acme/b',
      ({ read }) =>
        read(`${FOLDERS}/update`, {
          organizationId: 'acme',
          folders: [{ folderId: 'b', folderName: 'X' }],
        }),
    ],
    [
      'config//webhook',
      ({ read }) => read('/v2/workspace/webhookconfig/update', { useWebhookService: false }),
    ],
    [
      'endpoints//acme.first',
      async ({ read }) => {
        const { endpoints } = await read(`${ENDPOINTS}/get`);
        for (const { id: endpointId } of endpoints)
          await read(`${ENDPOINTS}/update`, { endpointId, description: 'changed' });
      },
    ],
    [
      'documents/acme/d2',
      ({ read }) =>
        read('/v2/organizations/documents/migrate', {
          organizationId: 'acme',
          documentId: 'd2',
          newDocumentId: 'd3',
        }),
    ],
    ['svc.yaml', ({ declare }) => declare(`${settingsOf('acme')}# changed\n`)],
    ['the secret env:HOOK_TOKEN', async () => undefined, { HOOK_TOKEN: 'another-hook-token' }],
    ['another API key', async () => undefined, { SVC_API_KEY: 'other' }],
  ])('sends nothing and exits with 15 if %s changed', SLOW, async (reason, change, env = {}) => {
    const user = await savePlan();
    await change(user);
    user.requests.length = 0;
    const { code, stderr } = await user.svc(['apply', 'plan.json', '--yes'], env);
    expect({ code, stderr }).toMatchObject({ code: 15, stderr: expect.stringContaining(reason) });
    expect(user.writes()).toEqual([]);
  });

  it('refuses an edited plan, and flags that would change it', async () => {
    const user = await savePlan();
    const text = await readFile(join(user.home, 'plan.json'), 'utf8');
    await writeFile(join(user.home, 'edited.json'), text.replaceAll('B2', 'B3'));
    expect(await user.svc(['apply', 'edited.json', '--yes'])).toMatchObject({ code: 3 });
    expect(await user.svc(['apply', 'plan.json', '--yes', '--only', 'folders'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('a saved plan cannot be changed'),
    });
    expect(await user.svc(['apply', 'svc.yaml', '--yes', '--file', 'svc.yaml'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('given both as an argument and with --file'),
    });
    expect(user.writes()).toEqual([]);
  });
});

const SPELLINGS = [
  'plain-secret-0001',
  'with "double" and \'single\' quotes',
  'back\\slash\\\\es and \\n',
  'line\nbreak\r\nand\ttab',
  'percent%20%zz&amp=1+2',
  'https://user:pass@host/path?x=1#y',
  '{"authToken":"nested-secret","$secret":1}',
  '${HOOK_TOKEN}-$${x}',
  'ünïcödé-ßecret-тайна',
  '🔑🗝️-emoji-secret',
  'c2VjcmV0LWluLWJhc2U2NA==',
  '00112233445566778899aabbccddeeff',
  '  spaces around it  ',
  '-----BEGIN KEY-----\nabc/def+ghi=\n-----END KEY-----',
  'null-true-false-1.0e5',
  "'; drop table sent; --",
  '\u001b[31mred\u001b[0m-secret',
  'a'.repeat(400),
  '\u202eright-to-left-secret',
  '__proto__.constructor-secret',
];

/** Settings with a secret, and a few records around it. */
const settingsWithSecret = (name: string) => `svc: 1
stack: acme
folders: [{ organizationId: acme, folderId: a, folderName: A ${name} }]
config:
  webhook:
    useWebhookService: true
    webhookServiceConfig: { rawNotificationUrl: "https://hooks.example.com/${name}", authToken: { env: HOOK_TOKEN } }
  advancedWebhooks: { isEnabled: true }
endpoints: [{ uid: acme.first, url: "https://hooks.example.com/${name}" }]
`;

describe('secrets', () => {
  it.each(SPELLINGS)(
    '%j is in no plan, ledger, journal, before-image, or output',
    SLOW,
    async (secret) => {
      const user = await createApplyUser();
      await user.declare(settingsWithSecret('acme'));
      const env = { HOOK_TOKEN: secret };
      const outputs: string[] = [];
      const svc = async (...words: string[]) => {
        const { code, stdout, stderr } = await user.svc([...words, '--debug'], env);
        outputs.push(stdout, stderr);
        expect(code, stderr).toBe(0);
      };
      await svc('plan', '--out', 'plan.json');
      await svc('apply', 'plan.json', '--yes');
      await user.declare(settingsWithSecret('other'));
      await svc('apply', '--yes', '-o', 'json');
      await svc('undo', '--out', 'undo.json');
      const stored = await user.read('/v2/workspace/webhookconfig/get');
      expect(stored.webhookServiceConfig.authToken).toBe(secret);
      const names = await readdir(user.home, { recursive: true });
      for (const name of names) {
        const path = join(user.home, name);
        if ((await stat(path)).isFile()) outputs.push(await readFile(path, 'utf8'));
      }
      const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
      const encoded = Buffer.from(secret).toString('base64').replace(/=+$/, '');
      for (const form of [...forms, encoded])
        for (const text of outputs) expect(text.includes(form)).toBe(false);
    },
  );
});
