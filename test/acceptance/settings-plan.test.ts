import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../listen.ts';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { startServing } from './serving.ts';

const SECRET = 'plan-secret-91c4-7d1f';
const SETTINGS = `svc: 1
stack: acme
vars: { hooks: https://hooks.example.com }
config:
  webhook:
    useWebhookService: true
    webhookServiceConfig: { rawNotificationUrl: "\${hooks}/raw", authToken: { env: HOOK_TOKEN } }
  advancedWebhooks: { isEnabled: true }
endpoints:
  - { uid: acme.billing, url: "\${hooks}/billing", filterTypes: [comment.add] }
folders:
  - { organizationId: acme, folderId: plans, folderName: Plans }
  - { organizationId: acme, folderId: q3, folderName: Q3, parentFolderId: plans }
users:
  - { organizationId: acme, userId: u1, name: Ada }
environments:
  staging: { profile: staging, vars: { hooks: https://staging.example.com } }
`;

/** Text of the plan for a service. */
const planOf = (url: string) => `${url}

+ folder plans (acme)
    folderName: "Plans"
+ folder q3 (acme)
    folderName: "Q3"
    parentFolderId: "plans"
> user u1 (acme)
    name: "Ada"
~ config webhook
    useWebhookService: false → true
    webhookServiceConfig.authToken: differ
    webhookServiceConfig.rawNotificationUrl: "" → "https://hooks.example.com/raw"
~ config advancedWebhooks
    isEnabled: false → true
+ endpoint acme.billing
    url: "https://hooks.example.com/billing"
    filterTypes: ["comment.add"]

Predicted effects:
  organization acme is created if it does not exist
  enabling webhook for the first time turns on 17 triggers

Plan: 3 to create, 2 to update, 1 to send
Access: no known change
  unknown for 1 person (u1): their present access cannot be read from this service
apply: svc apply plan.json
`;

/** Forwards requests to a service, and records their paths. */
async function recordRequests(service: string) {
  const requested: string[] = [];
  const server = createServer(async (request, response) => {
    requested.push(request.url ?? '');
    const headers = Object.entries(request.headers).filter(([name]) =>
      /^x-svc-|^content-type/.test(name),
    );
    const body = await text(request);
    const answer = await fetch(service + request.url, {
      method: 'POST',
      headers: headers as [string, string][],
      body,
    });
    response
      .writeHead(answer.status, { 'content-type': 'application/json' })
      .end(await answer.text());
  });
  onTestFinished(() => server.closeAllConnections());
  return { url: `http://${await listen(server)}`, requested };
}

describe('svc plan', () => {
  it('shows the changes of a service without sending a write, and saves them', async () => {
    const user = await newUserInProcess();
    const service = await startServing(user);
    await writeFile(join(user.home, 'svc.yaml'), SETTINGS);
    const { url, requested } = await recordRequests(service.env.SVC_BASE_URL);
    const env = { ...service.env, SVC_BASE_URL: url, HOOK_TOKEN: SECRET };
    const planned = await user.svc(['plan', '--out', 'plan.json', '--exit-code'], { env });
    expect(planned).toEqual({
      code: 20,
      stdout: `no environment (svc.yaml has staging) · ${planOf(url)}`,
      stderr: 'Saved the plan as plan.json\nsvc: the plan contains changes\n',
    });
    expect((await stat(join(user.home, 'plan.json'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(user.home, 'plan.json'), 'utf8')).not.toContain(SECRET);
    const shown = await user.svc(['plan', 'show', 'plan.json']);
    const address = `no environment (svc.yaml has staging) · ${url} (from SVC_BASE_URL)`;
    expect(shown).toEqual({ code: 0, stdout: planOf(url).replace(url, address), stderr: '' });

    expect(requested.toSorted()).toEqual([
      '/v2/organizations/folders/get',
      '/v2/workspace/advancedwebhook/endpoints/get',
      '/v2/workspace/advancedwebhookconfig/get',
      '/v2/workspace/webhookconfig/get',
    ]);
  });

  it('prints the documented JSON, which --jq and --only filter', SLOW, async () => {
    const user = await newUserInProcess();
    await writeFile(join(user.home, 'svc.yaml'), SETTINGS);
    const env = { HOOK_TOKEN: SECRET };
    const store = ['--local', '--store', join(user.home, 'store.sqlite')];
    const folders = await user.svc([...store, 'plan', '--only', 'folders', '-o', 'json'], { env });
    const plans = { organizationId: 'acme', folderId: 'plans', folderName: 'Plans' };
    const q3 = {
      organizationId: 'acme',
      folderId: 'q3',
      folderName: 'Q3',
      parentFolderId: 'plans',
    };
    expect(JSON.parse(folders.stdout)).toEqual({
      target: {
        url: 'embedded service',
        apiKey: expect.any(String),
        environment: null,
        profile: null,
        store: join(user.home, 'store.sqlite'),
        environments: ['staging'],
      },
      changes: [
        {
          sign: '+',
          kind: 'folders',
          org: 'acme',
          id: 'plans',
          field: null,
          before: null,
          after: plans,
          value: plans,
        },
        {
          sign: '+',
          kind: 'folders',
          org: 'acme',
          id: 'q3',
          field: null,
          before: null,
          after: q3,
          value: q3,
        },
      ],
      predicted: ['organization acme is created if it does not exist'],
      notRestored: [],
      summary: { create: 2, update: 0, replace: 0, delete: 0, send: 0 },
      access: [],
      accessTruncated: false,
      accessCounts: { gain: 0, lose: 0, change: 0 },
      accessUnknown: { documents: 0, people: 0 },
      next: { apply: `svc ${store.join(' ')} apply --only folders` },
    });
    const fields = await user.svc(
      [...store, 'plan', '--jq', '[.changes[] | select(.kind == "config") | .field, .after]'],
      {
        env,
      },
    );
    expect(JSON.parse(fields.stdout)).toEqual([
      'useWebhookService',
      true,
      'webhookServiceConfig.authToken',
      'differ',
      'webhookServiceConfig.rawNotificationUrl',
      'https://hooks.example.com/raw',
      'isEnabled',
      true,
    ]);
  });

  it('uses the profile and variables of an environment', async () => {
    const user = await newUserInProcess();
    await writeFile(join(user.home, 'svc.yaml'), SETTINGS);
    const env = { HOOK_TOKEN: SECRET };
    const profile = await user.svc(['plan', '--env', 'staging'], { env });
    expect([profile.code, profile.stderr]).toEqual([
      2,
      expect.stringContaining("profile 'staging'"),
    ]);
    const other = await user.svc(['-p', 'prod', 'plan', '--env', 'staging'], { env });
    expect([other.code, other.stderr]).toEqual([
      2,
      `svc: environment 'staging' of svc.yaml uses profile 'staging', not 'prod'\nhint: omit --profile, or choose another environment with --env\n`,
    ]);
    const local = await user.svc(
      ['--local', '--store', join(user.home, 's'), 'plan', '--env', 'staging', '--only', 'config'],
      {
        env,
      },
    );
    expect(local.stdout).toContain('"https://staging.example.com/raw"');
  });

  it('explains missing secrets, wrong flags, and refused prunes', async () => {
    const user = await newUserInProcess();
    await writeFile(join(user.home, 'svc.yaml'), SETTINGS);
    const plan = (...words: readonly string[]) =>
      user.svc(['--local', '--store', join(user.home, 's'), 'plan', ...words], {
        env: { HOOK_TOKEN: SECRET },
      });
    expect((await user.svc(['--local', 'plan'])).stderr).toContain(
      'svc.yaml:7:76: config.webhook.webhookServiceConfig.authToken',
    );
    expect((await plan('--file', 'no.yaml')).code).toBe(2);
    for (const file of ['svc.yaml', 'no.yaml'])
      expect((await plan('--prune-limit', 'x', '--file', file)).stderr).toContain(
        '--prune-limit must be a whole number',
      );
    expect((await plan('--out', 'x', 'show', 'plan.json')).stderr).toBe(
      'svc: --out is a flag of svc plan, not of svc plan show\n',
    );
    await writeFile(join(user.home, 'other.yaml'), 'svc: 1\nendpoints: []\n');
    expect((await plan('-f', 'other.yaml', '--only', 'endpoints', '--prune')).code).toBe(0);
    await writeFile(join(user.home, 'edited.json'), '{"svc":1,"changes":[],"sha256":"x"}');
    const edited = await user.svc(['plan', 'show', 'edited.json']);
    expect(edited).toMatchObject({
      code: 3,
      stderr: 'svc: edited.json was edited after it was saved\n',
    });
  });
});

describe('records that cannot be read back', () => {
  it('are sent once, and again after svc local reset', async () => {
    const user = await newUserInProcess();
    const svc = (...words: readonly string[]) =>
      user.svc(['--local', '--store', join(user.home, 'store.sqlite'), ...words]);
    await writeFile(join(user.home, 'users.csv'), 'userId,name\nu1,Ada\nu2,Bob\n');
    await writeFile(
      join(user.home, 'svc.yaml'),
      'svc: 1\norganizations: [{ organizationId: acme }]\nusers: { from: users.csv }\n',
    );
    const store = join(user.home, 'store.sqlite');
    const target = `embedded service (${store})\n\n`;
    const apply = `apply: svc --local --store ${store} apply`;
    const all = `${target}> organization acme\n> 2 users (acme)\n\nPlan: 3 to send\nAccess: no change\n${apply}\n`;
    expect((await svc('plan')).stdout).toBe(all);
    expect(await svc('apply', '--yes')).toMatchObject({ code: 0 });
    expect((await svc('plan')).stdout).toBe(
      `${target}No changes: the embedded service matches svc.yaml.\n`,
    );
    await writeFile(join(user.home, 'users.csv'), 'userId,name\nu1,Ada\nu2,Robert\n');
    expect((await svc('plan', '--only', 'users')).stdout).toBe(
      `${target}> 1 user (acme)\n\nPlan: 1 to send\nAccess: no change\n${apply} --only users\n`,
    );
    await svc('local', 'reset', '--yes');
    expect((await svc('plan')).stdout).toBe(all);
  });
});

describe('svc drift', () => {
  it('exits with 20 if the service differs, without comparing what cannot be read back', async () => {
    const user = await newUserInProcess();
    const store = ['--local', '--store', join(user.home, 'store.sqlite')];
    await writeFile(join(user.home, 'svc.yaml'), SETTINGS.replace('Plans', 'Roadmap'));
    const drift = (...words: readonly string[]) =>
      user.svc([...store, 'drift', '--only', 'folders', ...words], { env: { HOOK_TOKEN: SECRET } });
    await user.svc([
      ...store,
      'folders',
      'add',
      '--org',
      'acme',
      '--create-organization',
      '--folder',
      'plans',
      '--name',
      'By hand',
    ]);
    await user.svc([
      ...store,
      'folders',
      'add',
      '--org',
      'acme',
      '--folder',
      'q3',
      '--parent',
      'plans',
      '--name',
      'Q3',
    ]);
    expect(await drift()).toEqual({
      code: 20,
      stdout: `no environment (svc.yaml has staging) · embedded service (${store[2]})

~ folder plans (acme)
    folderName: "Roadmap" in svc.yaml, "By hand" in the service

Drift: 1 changed
restore: svc --local --store ${join(user.home, 'store.sqlite')} apply --only folders
accept: svc --local --store ${join(user.home, 'store.sqlite')} pull --only folders
`,
      stderr: 'svc: the embedded service differs from svc.yaml in 1 record\n',
    });
    await user.svc([
      ...store,
      'folders',
      'update',
      '--org',
      'acme',
      '--folder',
      'plans',
      '--name',
      'Roadmap',
    ]);
    expect(await drift()).toEqual({
      code: 0,
      stdout: `no environment (svc.yaml has staging) · embedded service (${store[2]})\n\nNo changes: the embedded service matches svc.yaml.\n`,
      stderr: '',
    });
    expect((await drift('--only', 'users')).code).toBe(0);
  });
});
