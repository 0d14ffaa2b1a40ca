import { describe, expect, it } from 'vitest';
import { exportState } from '../../src/service/state/transfer.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { type ApplyUser, createApplyUser, type Intercept } from './apply-user.ts';

const FOLDERS = '/v2/organizations/folders';
const WEBHOOK = '/v2/workspace/webhookconfig';

const readNames = async (user: ApplyUser): Promise<ReadonlyMap<string, string>> => {
  const folders = await user.read(`${FOLDERS}/get`, { organizationId: 'acme' });
  return new Map(
    folders.map(({ folderId, folderName }: Record<string, string>) => [folderId, folderName]),
  );
};

const rename = (user: ApplyUser, folderId: string, folderName: string) =>
  user.service.call(`${FOLDERS}/update`, {
    organizationId: 'acme',
    folders: [{ folderId, folderName }],
  });

const declareFolders = (user: ApplyUser, ids: readonly string[], suffix: string) =>
  user.declare(
    `folders:\n${ids.map((id) => `  - { organizationId: acme, folderId: ${id}, folderName: ${id} ${suffix} }\n`).join('')}`,
  );

/** Applies the settings, and kills svc at a request. */
async function applyAndKill(
  user: ApplyUser,
  isMoment: (request: Parameters<Intercept>[0]) => boolean,
  { isHandled, words = ['apply', '--yes'] }: { isHandled: boolean; words?: readonly string[] },
) {
  const running = user.start(...words);
  let isKilled = false;
  user.control.intercept = async (request) => {
    if (isKilled || !isMoment(request)) return undefined;
    isKilled = true;
    if (isHandled) await request.handle();
    running.kill('SIGKILL');
    await running.ended;
    return { status: 'UNAVAILABLE', message: 'killed' };
  };
  await running.ended;
  user.control.intercept = () => undefined;
  user.requests.length = 0;
  return isKilled;
}

async function createFolders(count: number) {
  const user = await createApplyUser();
  const ids = Array.from({ length: count }, (_, at) => `f${at}`);
  await declareFolders(user, ids, 'before');
  expect(await user.svc(['apply', '--yes'])).toMatchObject({ code: 0 });
  await declareFolders(user, ids, 'after');
  return { user, ids };
}

const isWrite = (request: Parameters<Intercept>[0]) => request.isWrite;

describe('svc jobs resume of a killed apply', () => {
  it(
    'leaves a record that was changed in the meantime, and exits with 15 if it is the only one',
    SLOW,
    async () => {
      const { user } = await createFolders(1);
      user.requests.length = 0;
      // The second read is about the values that the job replaces.
      const isMoment = () => user.requests.length === 2;
      expect(await applyAndKill(user, isMoment, { isHandled: false })).toBe(true);
      await rename(user, 'f0', 'foreign');
      expect(await user.svc(['jobs', 'resume'])).toMatchObject({
        code: 15,
        stderr: expect.stringContaining(
          'svc: the plan cannot be applied: folders/acme/f0 has changed since the plan was saved; nothing was sent\nhint: to create a new plan, run svc plan\n',
        ),
      });
      expect(user.writes()).toEqual([]);
      expect((await readNames(user)).get('f0')).toBe('foreign');
      expect((await user.svc(['jobs', 'resume'])).stderr).toContain('no job is stopped');
      expect(await user.svc(['apply', '--yes'])).toMatchObject({ code: 0 });
    },
  );

  it('exits with 10 if a write was sent before the only record was changed', SLOW, async () => {
    const { user } = await createFolders(1);
    expect(await applyAndKill(user, isWrite, { isHandled: false })).toBe(true);
    await rename(user, 'f0', 'foreign');
    expect(await user.svc(['jobs', 'resume'])).toMatchObject({
      code: 10,
      stdout: expect.stringMatching(/f0 +has neither the planned values .* left as it is/),
    });
    expect((await readNames(user)).get('f0')).toBe('foreign');
  });

  it('names the records that it leaves, and writes the others', SLOW, async () => {
    const { user, ids } = await createFolders(6);
    expect(await applyAndKill(user, isWrite, { isHandled: false })).toBe(true);
    await rename(user, 'f2', 'foreign');
    await rename(user, 'f4', 'f4 after');
    const { code, stdout, stderr } = await user.svc(['jobs', 'resume']);
    expect([code, stderr]).toEqual([10, expect.stringContaining('1 of 6 changes failed')]);
    expect(stdout).toContain('Applied: 4 updated, 1 already there, 1 failed\n');
    expect(stdout).toMatch(/f2 +has neither the planned values .* left as it is +changed\n/);
    const written = user.writes().flatMap(({ data }) => data.folders);
    expect(written.map(({ folderId }) => folderId)).toEqual(['f0', 'f1', 'f3', 'f5']);
    const names = await readNames(user);
    expect(ids.map((id) => names.get(id))).toEqual([
      'f0 after',
      'f1 after',
      'foreign',
      'f3 after',
      'f4 after',
      'f5 after',
    ]);
    await rename(user, 'f2', 'f2 before');
    expect(await user.svc(['jobs', 'resume'])).toMatchObject({ code: 0 });
    expect((await readNames(user)).get('f2')).toBe('f2 after');
  });

  it('does not write what depends on a record that it leaves', async () => {
    const user = await createApplyUser();
    const settings = (name: string) =>
      `folders:\n  - { organizationId: acme, folderId: a, folderName: ${name} }\n`;
    await user.declare(settings('A'));
    await user.svc(['apply', '--yes']);
    await user.declare(
      `${settings('A2')}  - { organizationId: acme, folderId: b, parentFolderId: a }\n`,
    );
    await applyAndKill(user, isWrite, { isHandled: false });
    await rename(user, 'a', 'foreign');
    const { code, stdout } = await user.svc(['jobs', 'resume']);
    expect([code, stdout]).toEqual([
      10,
      expect.stringMatching(/b +not sent, because it requires a/),
    ]);
    expect([...(await readNames(user))]).toEqual([['a', 'foreign']]);
  });

  it.each([true, false])(
    'compares configurations with their secrets (request handled: %s)',
    SLOW,
    async (isHandled) => {
      const user = await createApplyUser();
      const settings = (url: string) =>
        `config: { webhook: { webhookServiceConfig: { rawNotificationUrl: "https://${url}.example/", authToken: { env: HOOK_TOKEN } } } }\n`;
      await user.declare(settings('one'));
      expect(await user.svc(['apply', '--yes'])).toMatchObject({ code: 0 });
      await user.declare(settings('two'));
      const env = { HOOK_TOKEN: 'another-hook-token' };
      user.env.HOOK_TOKEN = env.HOOK_TOKEN;
      expect(await applyAndKill(user, isWrite, { isHandled })).toBe(true);
      if (isHandled) {
        expect(
          await user.svc(['jobs', 'resume'], { HOOK_TOKEN: 'third-hook-token' }),
        ).toMatchObject({
          code: 3,
          stderr: expect.stringContaining('the secret env:HOOK_TOKEN changed after job'),
        });
        const { code, stdout } = await user.svc(['jobs', 'resume']);
        const [{ id: job }] = JSON.parse((await user.svc(['jobs', 'list', '-o', 'json'])).stdout);
        expect([code, stdout]).toEqual([
          0,
          `${user.env.SVC_BASE_URL}\n\nApplied: 1 already there\nundo: svc undo ${job}\n`,
        ]);
        expect(user.writes()).toEqual([]);
        return;
      }
      await user.service.call(`${WEBHOOK}/update`, {
        webhookServiceConfig: { authToken: 'foreign-hook-token' },
      });
      expect(await user.svc(['jobs', 'resume'])).toMatchObject({ code: 10 });
      expect(user.writes()).toEqual([]);
      const { webhookServiceConfig } = await user.read(`${WEBHOOK}/get`);
      expect(webhookServiceConfig.authToken).toBe('foreign-hook-token');
    },
  );

  it.each(Array.from({ length: repeats(6) }, (_, at) => at))(
    'creates, deletes, and replaces each endpoint once, after a kill at write %i',
    SLOW,
    async (moment) => {
      const user = await createApplyUser();
      const settings = (endpoints: string) =>
        `stack: acme\nconfig: { advancedWebhooks: { isEnabled: true } }\nendpoints:\n${endpoints}`;
      const endpoint = (uid: string, rest = '') =>
        `  - { uid: acme.${uid}, url: "https://h.example/${uid}"${rest} }\n`;
      await user.declare(
        settings(['gone', 'same', 'typed'].map((uid) => endpoint(uid, ', rateLimit: 5')).join('')),
      );
      expect(await user.svc(['apply', '--yes'])).toMatchObject({ code: 0 });
      const list = async () =>
        (await user.read('/v2/workspace/advancedwebhook/endpoints/get')).endpoints;
      await user.declare(
        settings(
          endpoint('same', ', rateLimit: 6') +
            endpoint('typed', ', rateLimit: null') +
            endpoint('new'),
        ),
      );
      const words = ['apply', '--yes', '--prune', '--allow-replace'];
      let writes = 0;
      const isMoment = (request: Parameters<Intercept>[0]) =>
        request.isWrite && writes++ === moment % 6;
      const isKilled = await applyAndKill(user, isMoment, { isHandled: moment % 2 === 0, words });
      if (isKilled) expect(await user.svc(['jobs', 'resume'])).toMatchObject({ code: 0 });
      const shown = (await list()).map(({ uid, rateLimit }: Record<string, unknown>) => [
        uid,
        rateLimit ?? null,
      ]);
      expect(shown.toSorted()).toEqual([
        ['acme.new', null],
        ['acme.same', 6],
        ['acme.typed', null],
      ]);
    },
  );

  it('keeps every foreign change, at any moment', {
    ...SLOW,
    timeout: repeats(60_000),
  }, async () => {
    for (let round = 0; round < repeats(4); round += 1) {
      const { user, ids } = await createFolders(20);
      await applyAndKill(user, isWrite, { isHandled: Math.random() < 0.5 });
      const foreign = ids.filter(() => Math.random() < 0.3);
      for (const id of foreign) await rename(user, id, `${id} foreign`);
      const { code } = await user.svc(['jobs', 'resume']);
      expect(code).toBe(foreign.length > 0 ? 10 : 0);
      const names = await readNames(user);
      for (const id of ids)
        expect(names.get(id)).toBe(`${id} ${foreign.includes(id) ? 'foreign' : 'after'}`);
    }
  });
});

it('applies a saved plan after kills at any read before the first write', SLOW, async () => {
  const { user } = await createFolders(1);
  expect(await user.svc(['plan', '--out', 'plan.json'])).toMatchObject({ code: 0 });
  const words = ['apply', 'plan.json', '--yes'];
  let reads = 0;
  const isNextRead = (request: Parameters<Intercept>[0]) =>
    !request.isWrite && user.requests.length === reads + 1;
  user.requests.length = 0;
  while (await applyAndKill(user, isNextRead, { isHandled: false, words })) reads += 1;
  expect(reads).toBeGreaterThanOrEqual(2);
  expect((await readNames(user)).get('f0')).toBe('f0 after');
});

const DECLARED_ACCESS = [
  ['ada', 'organization', 'viewer', undefined],
  ['bo', 'folder', 'viewer', undefined],
  ['bo', 'document', 'editor', undefined],
  ['cy', 'document', 'viewer', 4_102_444_800],
  ['cy', 'folder', 'viewer', undefined],
  ['di', 'organization', 'viewer', 4_102_444_800],
];

async function declareAccess(user: ApplyUser) {
  await user.declare(`folders: [{ organizationId: acme, folderId: f }]
documents: [{ organizationId: acme, documentId: d }]
users:
  - { organizationId: acme, userId: ada, name: Ada, accessRole: viewer }
  - { organizationId: acme, userId: bo, name: Bo, memberships: [{ type: folder, id: f, accessRole: viewer }, { type: document, id: d, accessRole: editor }] }
  - { organizationId: acme, userId: cy, name: Cy, memberships: [{ type: document, id: d, accessRole: viewer, expiresAt: 4102444800 }, { type: folder, id: f, accessRole: viewer }] }
  - { organizationId: acme, userId: di, name: Di, memberships: [{ type: organization, id: acme, accessRole: viewer, expiresAt: 4102444800 }] }
`);
}

/** Returns who has which role where, and until when. */
async function readAccess({ service: { store, credentials } }: ApplyUser) {
  const { users } = await exportState(store, credentials.apiKey);
  return users.flatMap(({ userId, memberships = [] }) =>
    memberships.map(({ type, accessRole = 'editor', expiresAt }) => [
      userId,
      type,
      accessRole,
      expiresAt,
    ]),
  );
}

const findUndeclared = async (user: ApplyUser) =>
  (await readAccess(user)).filter(
    (access) => !DECLARED_ACCESS.some((declared) => `${declared}` === `${access}`),
  );

describe('declared access', () => {
  it.each([{ status: 'PERMISSION_DENIED', message: 'No grants.' }, { page: 500 }])(
    'is never exceeded if the service answers grants with %o',
    async (refusal) => {
      const user = await createApplyUser();
      await declareAccess(user);
      user.control.intercept = ({ path }) => (path.includes('permissions') ? refusal : undefined);
      expect((await user.svc(['apply', '--yes', '--retry-for', '1s'])).code).not.toBe(0);
      expect(await findUndeclared(user)).toEqual([]);
    },
  );

  it(
    'is never exceeded if svc is killed after any write, and complete once it is resumed',
    SLOW,
    async () => {
      for (let last = 1; ; last += 1) {
        const user = await createApplyUser();
        await declareAccess(user);
        const isMoment = () => user.writes().length === last;
        if (!(await applyAndKill(user, isMoment, { isHandled: true, words: ['apply', '--yes'] }))) {
          expect(last).toBeGreaterThan(4);
          break;
        }
        expect([last, await findUndeclared(user)]).toEqual([last, []]);
        expect((await user.svc(['jobs', 'resume'])).code).toBe(0);
        const access = await readAccess(user);
        expect(access.map(String).sort()).toEqual(DECLARED_ACCESS.map(String).sort());
      }
    },
  );
});
