import { createHmac, scryptSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { formatCanonicalJson } from '../../src/kernel/json.ts';
import type { AccessRow } from '../../src/settings/access-preview.ts';
import { queryDeclared } from '../../src/settings/live/declared-query.ts';
import { readLive } from '../../src/settings/live/read-live.ts';
import {
  createSavedPlan,
  findChangedSecret,
  findPlanFiles,
  findStaleness,
  hasRecordChanged,
  isExpired,
  parseSavedPlan,
} from '../../src/settings/plan/saved-plan.ts';
import { SecretValue } from '../../src/settings/secret-value.ts';
import { SLOW } from '../slow.ts';
import { secret, startPlannedWorld } from './planned-world.ts';

const NOW = 1_700_000_000_000;
const DAY = 24 * 60 * 60 * 1000;

async function savePlan() {
  const world = await startPlannedWorld();
  await world.service.call('/v2/organizations/folders/add', {
    organizationId: 'acme',
    createOrganization: true,
    folders: [{ folderId: 'plans', folderName: 'Plans' }],
  });
  const declared = {
    folders: [
      { organizationId: 'acme', folderId: 'plans', folderName: 'Roadmap' },
      { organizationId: 'acme', folderId: 'new' },
    ],
    config: { webhook: { webhookServiceConfig: { authToken: secret('TOKEN') } } },
  };
  const files = [{ path: '/svc.yaml', sha256: 'a'.repeat(64) }];
  const origin = {
    environment: 'prod',
    profile: 'prod',
    stack: 'acme',
    files,
    secrets: [secret('TOKEN')],
    allowReplace: false,
    now: NOW,
  };
  const plan = await world.plan(declared);
  const saved = await createSavedPlan(plan, origin);
  const current = async () => ({
    target: plan.target,
    files,
    secrets: origin.secrets,
    now: NOW + 1000,
    wasApplied: false,
    live: await readLive(world.client, queryDeclared(declared)),
  });
  return { world, saved, current };
}

it('contains no secret, and is read back unchanged', SLOW, async () => {
  const { world, saved } = await savePlan();
  const text = JSON.stringify(saved, null, 2);
  expect(await parseSavedPlan(text, 'plan.json')).toEqual(JSON.parse(text));
  const again = (await savePlan()).saved;
  expect(again.secrets['env:TOKEN']).not.toBe(saved.secrets['env:TOKEN']);
  await world.service.call('/v2/workspace/webhookconfig/update', {
    webhookServiceConfig: { authToken: 'live-secret-123' },
  });
  const other = await createSavedPlan(
    await world.plan({ config: { webhook: { webhookServiceConfig: { encodeData: true } } } }),
    {
      files: saved.files,
      allowReplace: false,
      environment: 'x',
      profile: undefined,
      stack: 'x',
      secrets: [],
      now: NOW,
    },
  );
  for (const kept of [text, JSON.stringify(other)])
    expect(kept).not.toMatch(/first-secret-token|live-secret-123/);
});

it('hashes secrets, and configurations that may contain one, slowly', SLOW, async () => {
  const world = await startPlannedWorld();
  await world.service.call('/v2/workspace/webhookconfig/update', {
    webhookServiceConfig: { authToken: 'live-secret-123' },
  });
  const [live, switches] = await Promise.all([
    world.service.call('/v2/workspace/webhookconfig/get', {}),
    world.service.call('/v2/workspace/advancedwebhookconfig/get', {}),
  ]);
  const config = {
    webhook: { webhookServiceConfig: { authToken: secret('TOKEN') } },
    advancedWebhooks: { isEnabled: true },
  };
  const origin = { files: [], secrets: [secret('TOKEN')], allowReplace: false, now: NOW };
  const { salt, secrets, records } = await createSavedPlan(await world.plan({ config }), origin);
  const options = { N: 2 ** 14, r: 8, p: 1 };
  const slow = (text: string) => scryptSync(text, salt, 32, options).toString('base64url');
  expect(secrets).toEqual({
    'env:TOKEN': slow(JSON.stringify(['env:TOKEN', secret('TOKEN').reveal()])),
  });
  expect(records).toEqual({
    'config//webhook': slow(`config//webhook${formatCanonicalJson(live.body.result?.data)}`),
    'config//advancedWebhooks': createHmac('sha256', salt)
      .update(formatCanonicalJson(switches.body.result?.data))
      .digest('base64url'),
  });
});

it('rejects a plan that was edited, and files that are not plans', async () => {
  const { saved } = await savePlan();
  const edited = { ...saved, allowReplace: true };
  await expect(parseSavedPlan(JSON.stringify(edited), 'p.json')).rejects.toThrow(
    'p.json was edited after it was saved',
  );
  for (const text of ['', '{}', '[]', 'null', '{"sha256":"x"}']) {
    await expect(parseSavedPlan(text, 'p.json')).rejects.toThrow('p.json is not a saved plan');
  }
  const newer = parseSavedPlan(JSON.stringify({ ...saved, svc: 2 }), 'p.json');
  await expect(newer).rejects.toThrow('newer version');
});

it.each([
  ['made now', 0, false],
  ['24 hours old', DAY, false],
  ['older than 24 hours', DAY + 1, true],
  ['of the future', -1, true],
])('is expired if it is older than 24 hours or of the future: %s', (_, age, expected) => {
  expect(isExpired({ createdAt: new Date(NOW).toISOString() }, NOW + age)).toBe(expected);
});

it('contains who gains access, and rejects counts that are not those of its rows', async () => {
  const { world } = await savePlan();
  const plan = await world.plan({});
  const editor = {
    role: 'editor',
    expiresAt: null,
    afterward: { role: 'viewer', expiresAt: null },
  };
  const row = {
    user: 'ada',
    resource: { type: 'folder', id: 'plans', organizationId: 'acme' },
    before: null,
    after: editor,
    through: { type: 'organization', id: 'acme' },
  } as AccessRow;
  const access = {
    counts: { gain: 1, lose: 0, change: 0 },
    total: 1,
    rows: [row],
    sha256: 'a'.repeat(64),
    unknown: { documents: 2, people: 0 },
    unknownPeople: [],
  };
  const save = async (changed: Partial<typeof access>) => {
    const origin = { files: [], secrets: [], allowReplace: false, now: NOW };
    const saved = await createSavedPlan({ ...plan, access: { ...access, ...changed } }, origin);
    return parseSavedPlan(JSON.stringify(saved), 'plan.json');
  };
  expect((await save({})).access).toEqual(access);
  await expect(save({ counts: { gain: 0, lose: 0, change: 0 } })).rejects.toThrow(
    'plan.json is not a saved plan: access.counts: does not match the rows',
  );
  await expect(save({ total: 2 })).rejects.toThrow('access.total: does not match the rows');
});

it('is expired if its time is not a time', () => {
  expect(isExpired({ createdAt: 'yesterday' }, NOW)).toBe(true);
});

it('depends on its file of users, once, with the content that the plan was made for', async () => {
  const { saved } = await savePlan();
  const [users, settings] = ['/users.csv', '/svc.yaml'];
  const [one, other] = ['1'.repeat(64), '2'.repeat(64)];
  const [change] = saved.changes;
  if (!change) throw new Error('the plan changes nothing');
  const changes = [{ ...change, kind: 'users' as const, value: { from: users, sha256: one } }];
  const filesOf = (...files: typeof saved.files) => findPlanFiles({ ...saved, files, changes });
  const sent = { path: users, sha256: one };
  expect(filesOf(sent)).toEqual([sent]);
  for (const file of [
    { path: users, sha256: other },
    { path: settings, sha256: one },
  ])
    expect(filesOf(file)).toEqual([file, sent]);
  expect(findPlanFiles({ ...saved, changes: [] })).toEqual(saved.files);
});

it('detects a record or a secret that has changed', async () => {
  const { saved, current } = await savePlan();
  const key = 'folders/acme/plans';
  const record = (await current()).live.folders.get('acme')?.records?.get('plans');
  expect(record).toMatchObject({ folderName: 'Plans' });
  expect(await hasRecordChanged(saved, key, record)).toBe(false);
  expect(await hasRecordChanged(saved, key, { ...record, folderName: 'New' })).toBe(true);
  expect(await hasRecordChanged(saved, key, undefined)).toBe(true);
  expect(await findChangedSecret(saved, [secret('TOKEN')])).toBeUndefined();
  expect(await findChangedSecret(saved, [new SecretValue({ env: 'TOKEN' }, 'new')])).toBe(
    'env:TOKEN',
  );
});

it('is stale as soon as anything that it depends on has changed', SLOW, async () => {
  const { world, saved, current } = await savePlan();
  const now = await current();
  expect(await findStaleness(saved, now)).toBeUndefined();
  const changed = (change: object) => findStaleness(saved, { ...now, ...change });
  expect(await changed({ wasApplied: true })).toBe('the plan was applied before');
  expect(await changed({ target: { ...saved.target, url: 'https://other.example' } })).toContain(
    'not for https://other.example',
  );
  expect(await changed({ target: { ...saved.target, apiKey: 'other' } })).toBe(
    'the plan is for another API key',
  );
  expect(await changed({ now: NOW + DAY + 1 })).toBe('the plan is older than 24 hours');
  expect(await changed({ now: NOW + DAY })).toBeUndefined();
  expect(await changed({ files: [] })).toBe('/svc.yaml has changed since the plan was saved');
  expect(await changed({ files: [{ path: '/svc.yaml', sha256: 'b' }] })).toBe(
    '/svc.yaml has changed since the plan was saved',
  );
  expect(await changed({ secrets: [new SecretValue({ env: 'TOKEN' }, 'new')] })).toBe(
    'the secret env:TOKEN has changed since the plan was saved',
  );
  const rename = (folderName: string) =>
    world.service.call('/v2/organizations/folders/update', {
      organizationId: 'acme',
      folders: [{ folderId: 'plans', folderName }],
    });
  world.service.clock.time += 5000;
  await rename('By hand');
  expect(await findStaleness(saved, await current())).toBe(
    'folders/acme/plans has changed since the plan was saved',
  );
  await rename('Plans');
  expect(await findStaleness(saved, await current())).toBeUndefined();
  await world.service.call('/v2/organizations/folders/add', {
    organizationId: 'acme',
    folders: [{ folderId: 'new' }],
  });
  expect(await findStaleness(saved, await current())).toBe(
    'folders/acme/new has changed since the plan was saved',
  );
});
