import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { failure, startMockService, success } from './mock-service.ts';
import { startServing } from './serving.ts';

const FILE = `svc: 1
stack: acme-core
vars: { hooks: https://hooks.example.com }
config:
  advancedWebhooks: { isEnabled: true }
  webhook:
    useWebhookService: true
    webhookServiceConfig: { rawNotificationUrl: "\${hooks}/raw", authToken: { env: HOOK_TOKEN } }
endpoints:
  - { uid: acme-core.billing, url: "\${hooks}/billing", filterTypes: [comment.add] }
folders:
  # the folders of every customer
  - { organizationId: acme, folderId: plans, folderName: Plans }
  - { organizationId: acme, folderId: q3, folderName: Q3, parentFolderId: plans }
environments:
  staging:
    profile: staging
    vars: { hooks: https://staging.example.com }
  prod: { profile: prod }
`;

const TOKEN = 'a-token-of-deliveries-47';

it('one file configures two services; a change by hand is found, planned, reverted, and undone', async () => {
  const user = await newUserInProcess();
  const svc = (...words: readonly string[]) =>
    user.svc(words, { env: { ...user.env, HOOK_TOKEN: TOKEN } });
  let workspace: Readonly<Record<string, string>> = {};
  for (const name of ['staging', 'prod']) {
    const { env, workspaceEnv } = await startServing(
      user,
      '--store',
      join(user.home, `${name}.sqlite`),
    );
    const words = [
      'profiles',
      'add',
      name,
      '--base-url',
      env.SVC_BASE_URL,
      '--api-key',
      env.SVC_API_KEY,
    ];
    const added = await user.svc([...words, '--auth-token-stdin'], { stdin: env.SVC_AUTH_TOKEN });
    expect(added.code, added.stderr).toBe(0);
    workspace = workspaceEnv;
  }
  await writeFile(join(user.home, 'svc.yaml'), FILE);

  for (const environment of ['staging', 'prod']) {
    const plan = await svc('plan', '--env', environment);
    expect(plan, plan.stderr).toMatchObject({ code: 0 });
    expect(plan.stdout).toContain('enabling webhook for the first time turns on 17 triggers');
    expect(plan.stdout).not.toContain(TOKEN);
    const applied = await svc('apply', '--env', environment, '--yes');
    expect(applied, applied.stderr).toMatchObject({ code: 0 });
    expect(await svc('drift', '--env', environment)).toMatchObject({ code: 0 });
    expect((await svc('plan', '--env', environment, '--exit-code')).code).toBe(0);
  }

  const compared = await svc('compare', 'staging', 'prod', '--org', 'acme', '-o', 'json');
  const { changes } = JSON.parse(compared.stdout);
  expect(changes.map(({ kind, field }: Record<string, unknown>) => [kind, field])).toEqual([
    ['config', 'webhookServiceConfig.rawNotificationUrl'],
    ['endpoints', 'url'],
    ['apiKeys', null],
  ]);
  const withoutKeys = await svc('compare', 'prod', 'prod', '--exit-code');
  expect(withoutKeys.stdout).toMatch(
    /^\? API keys: this command needs a credential, but no workspace/,
  );
  expect(withoutKeys.code).toBe(0);
  const withKeys = await user.svc(['compare', 'prod', 'prod'], {
    env: { ...user.env, ...workspace },
  });
  expect(withKeys.stdout).toBe('prod and prod do not differ.\n');

  const byHand = [
    'folders',
    'update',
    '-p',
    'prod',
    '--org',
    'acme',
    '--folder',
    'q3',
    '--name',
    'Third quarter',
  ];
  expect(await svc(...byHand)).toMatchObject({ code: 0 });
  expect(await svc('drift', '--env', 'staging')).toMatchObject({ code: 0 });
  const drift = await svc('drift', '--env', 'prod', '-o', 'json');
  expect(drift.code).toBe(20);
  expect(JSON.parse(drift.stdout)).toMatchObject({
    changes: [
      {
        sign: '~',
        kind: 'folders',
        org: 'acme',
        id: 'q3',
        field: 'folderName',
        before: 'Third quarter',
        after: 'Q3',
      },
    ],
    summary: { create: 0, update: 1, replace: 0, delete: 0, send: 0 },
  });

  expect(await svc('plan', '--env', 'prod', '--out', 'plan.json')).toMatchObject({ code: 0 });
  const reverted = await svc('apply', 'plan.json', '--yes', '-o', 'json');
  expect(reverted, reverted.stderr).toMatchObject({ code: 0 });
  expect(await svc('apply', 'plan.json', '--yes')).toMatchObject({ code: 15 });
  expect(await svc('drift', '--env', 'prod')).toMatchObject({ code: 0 });

  const undo = await svc(
    'undo',
    JSON.parse(reverted.stdout).job,
    '--out',
    'undo.json',
    '-p',
    'prod',
  );
  expect(undo, undo.stderr).toMatchObject({ code: 0 });
  expect(await svc('apply', 'undo.json', '--yes', '-p', 'prod')).toMatchObject({ code: 0 });
  const folders = await svc(
    'folders',
    'list',
    '-p',
    'prod',
    '--org',
    'acme',
    '--jq',
    '.[] | .folderName',
  );
  expect(folders.stdout.split('\n')).toContain('Third quarter');

  const pulled = await svc('pull', '--env', 'prod');
  expect(pulled, pulled.stderr).toMatchObject({ code: 0 });
  expect(await readFile(join(user.home, 'svc.yaml'), 'utf8')).toBe(
    FILE.replace('folderName: Q3', 'folderName: Third quarter'),
  );
});

it('does not compare records that cannot be read with the prediction', SLOW, async () => {
  const user = await newUserInProcess();
  await writeFile(
    join(user.home, 'svc.yaml'),
    `stack: shop
folders: [{ organizationId: acme, folderId: plans, folderName: Plans }]
endpoints: [{ uid: shop.audit, url: 'https://hooks.example.com/audit' }]`,
  );
  await user.svc(['organizations', 'add', 'acme', '--local']);
  const applied = await user.svc(['apply', '--yes', '--local']);
  expect(applied).toMatchObject({ code: 10 });
  expect(applied.stderr.split('\n')).toEqual([
    expect.stringMatching(/^svc: could not apply endpoints: Advanced webhooks are not configured/),
    expect.stringContaining('svc --local webhooks advanced update --enable'),
    '',
  ]);
  expect(applied.stdout).toContain('? endpoints: Advanced webhooks are not configured');
});

describe('declared records that cannot be read', () => {
  const endpoints = "stack: fr\nendpoints: [{ uid: fr.a, url: 'https://h.example.com/a' }]";
  const config = 'config: { email: { emailServiceConfig: { fromCompany: Acme } } }';

  it('are failures of apply, alone with the code of the refusal', async () => {
    const user = await newUserInProcess();
    const apply = async (settings: string) => {
      await writeFile(join(user.home, 'svc.yaml'), settings);
      return user.svc(['apply', '--yes', '--local', '-o', 'json']);
    };
    const alone = await apply(endpoints);
    expect([alone.code, JSON.parse(alone.stdout).failed]).toEqual([6, 1]);
    const beside = await apply(`${endpoints}\n${config}`);
    expect(beside.code).toBe(10);
    expect(JSON.parse(beside.stdout)).toMatchObject({
      applied: { update: 1 },
      failed: 1,
      failures: [{ id: 'endpoints' }],
    });
    const { job } = JSON.parse(beside.stdout);
    const read = async (...words: readonly string[]) =>
      JSON.parse((await user.svc(['jobs', ...words, '-o', 'json'])).stdout);
    const counts = { total: 2, succeeded: 1, failed: 1, unknown: 0, skipped: 0 };
    expect(await read('list')).toMatchObject([{ id: job, ...counts }]);
    expect((await user.svc(['jobs', 'list'])).stdout).toContain('1 failed');
    expect(await read('show', job)).toMatchObject({
      counts,
      reasons: { most: [{ count: 1, examples: [{ id: 'endpoints' }] }] },
    });
    const ended = await user.svc(['jobs', 'resume', job, '--local', '-o', 'json']);
    expect([ended.code, JSON.parse(ended.stdout)]).toMatchObject([10, counts]);
    const unchanged = await apply(`${endpoints}\n${config}`);
    expect([unchanged.code, JSON.parse(unchanged.stdout).failed]).toEqual([10, 1]);
    await user.svc(['plan', '--local', '--out', 'plan.json']);
    expect((await user.svc(['apply', 'plan.json', '--yes', '--local'])).code).toBe(10);
  });
});

it('counts records that could not be read among the failures of a job, and offers to accept none', async () => {
  const user = await newUserInProcess();
  const { env } = await startMockService(({ path }) =>
    path === '/v2/workspace/emailconfig/get'
      ? success({ useEmailService: false, emailServiceConfig: { type: 'default' } })
      : path === '/v2/workspace/emailconfig/update'
        ? failure(400, 'INVALID_ARGUMENT', 'no sender')
        : failure(403, 'PERMISSION_DENIED', 'not in your plan'),
  );
  const endpoints = 'endpoints: [{ uid: a.b, url: "https://example.test" }]';
  const write = (enabled: boolean) =>
    writeFile(
      join(user.home, 'svc.yaml'),
      `svc: 1\nstack: a\n${endpoints}\nconfig: { email: { useEmailService: ${enabled} } }`,
    );
  await write(true);
  const applied = await user.svc(['apply', '--yes'], { env });
  expect([applied.code, applied.stderr]).toEqual([
    10,
    expect.stringContaining('svc: 2 of 2 changes failed'),
  ]);
  await write(false);
  const drift = await user.svc(['drift'], { env });
  expect([drift.code, drift.stdout]).toEqual([20, expect.not.stringContaining('accept:')]);
});

describe('pull', () => {
  it('notes that a workspace has no advanced webhooks', async () => {
    const user = await newUserInProcess();
    const pulled = await user.svc(['pull', '--local']);
    expect(pulled.code).toBe(0);
    expect(pulled.stderr).toContain('endpoints could not be read: Advanced webhooks are not');
  });

  it('notes it also if the service refuses to show their configuration', async () => {
    const user = await newUserInProcess();
    const { env } = await startMockService(({ path }) =>
      path.includes('advancedwebhook')
        ? failure(400, 'FAILED_PRECONDITION', 'not enabled')
        : success({
            useEmailService: false,
            useWebhookService: false,
            usePermissionProvider: false,
          }),
    );
    const pulled = await user.svc(['pull'], { env });
    expect([pulled.code, pulled.stderr]).toEqual([
      0,
      expect.stringContaining('config advancedWebhooks could not be read: not enabled'),
    ]);
  });

  it('fails for a kind of records that the service denies, after it wrote the others', async () => {
    const user = await newUserInProcess();
    const { env } = await startMockService(({ path }) =>
      path === '/v2/workspace/emailconfig/get'
        ? success({ useEmailService: false, emailServiceConfig: { type: 'default' } })
        : failure(403, 'PERMISSION_DENIED', 'not in your plan'),
    );
    const pulled = await user.svc(['pull'], { env });
    expect(pulled.code).toBe(10);
    expect(pulled.stderr).toMatch(/^svc: .*endpoints could not be read: not in your plan/m);
    expect(await readFile(join(user.home, 'svc.yaml'), 'utf8')).toContain('type: default');
  });
});

it('warns if a service changes something else than was predicted', async () => {
  const user = await newUserInProcess();
  const folder = {
    folderId: 'plans',
    folderName: 'Plans',
    organizationId: 'acme',
    parentFolderId: 'root',
    ancestors: ['root'],
  };
  let live = {
    ...folder,
    accessType: 'public',
    inheritAccessFromParent: true,
    createdAt: 1,
    lastUpdated: 1,
  };
  let [isWritten, readsLeft] = [false, Number.POSITIVE_INFINITY];
  const { env } = await startMockService(({ path, body }) => {
    if (path.endsWith('/get')) {
      if (isWritten && readsLeft-- <= 0) return failure(403, 'PERMISSION_DENIED', 'denied');
      return success([live]);
    }
    isWritten = readsLeft < Number.POSITIVE_INFINITY;
    live = {
      ...live,
      ...Object(body.data['folders'])[0],
      accessType: 'restricted',
      inheritAccessFromParent: false,
    };
    return success({ plans: { success: true, id: 'plans', message: 'Folder Updated.' } });
  });
  await writeFile(
    join(user.home, 'svc.yaml'),
    'folders: [{ organizationId: acme, folderId: plans, folderName: Roadmap }]',
  );
  const applied = await user.svc(['apply', '--yes'], { env: { ...user.env, ...env } });
  expect(applied).toMatchObject({ code: 0 });
  expect(applied.stderr).toContain(
    'warning: the result differs from the prediction for folders plans: inheritAccessFromParent is false, predicted true',
  );
  readsLeft = 1;
  live = { ...live, folderName: 'Other' };
  await writeFile(
    join(user.home, 'svc.yaml'),
    'folders: [{ organizationId: acme, folderId: plans, folderName: Plans }]',
  );
  const unread = await user.svc(['apply', '--yes'], { env: { ...user.env, ...env } });
  expect([unread.code, unread.stderr]).toEqual([
    0,
    'warning: the result was not compared with the prediction: denied\n',
  ]);
});
