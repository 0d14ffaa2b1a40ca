import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { type ApplyUser, createApplyUser, settingsOf } from './apply-user.ts';

const FOLDERS = '/v2/organizations/folders';

interface FolderRecord {
  readonly folderId: string;
  readonly folderName: string;
  readonly parentFolderId: string;
}

/** Creates a random tree of folders: each below an earlier one, so that parents come first. */
function randomTree(ids: readonly string[], suffix: string): FolderRecord[] {
  return ids.map((folderId, at) => {
    const parent = Math.floor(Math.random() * (at + 1)) - 1;
    return { folderId, folderName: `${folderId} ${suffix}`, parentFolderId: ids[parent] ?? 'root' };
  });
}

const shuffle = <Item>(items: readonly Item[]) =>
  items
    .map((item) => [Math.random(), item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item);

async function createFolders(user: ApplyUser, count: number) {
  const ids = Array.from({ length: count }, (_, at) => `f${at}`);
  const folders = randomTree(ids, 'before');
  await user.service.call(`${FOLDERS}/add`, {
    organizationId: 'acme',
    createOrganization: true,
    folders,
  });
  return ids;
}

const readFolders = (user: ApplyUser): Promise<FolderRecord[]> =>
  user.read(`${FOLDERS}/get`, { organizationId: 'acme' });

/**
 * Renames and moves all folders with a job. The order of a random tree is one that the service
 * accepts.
 */
async function moveFolders(
  user: ApplyUser,
  ids: readonly string[],
  env: Record<string, string> = {},
) {
  const moves = randomTree(shuffle(ids), 'after');
  const rows = moves.map(({ folderId, folderName, parentFolderId }) =>
    [folderId, folderName, parentFolderId].join(','),
  );
  await writeFile(
    join(user.home, 'moves.csv'),
    ['folderId,folderName,parentFolderId', ...rows].join('\n'),
  );
  const { code, stderr } = await user.svc(
    ['folders', 'update', '--org', 'acme', '--file', 'moves.csv'],
    env,
  );
  expect([code, stderr]).toEqual([0, '']);
}

async function undo(user: ApplyUser) {
  const { stdout, code } = await user.svc(['undo', '--out', 'undo.json', '-o', 'json']);
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

describe('svc undo', () => {
  it('restores 200 nested folder moves byte by byte', SLOW, async () => {
    const user = await createApplyUser();
    const ids = await createFolders(user, 200);
    const before = JSON.stringify(await readFolders(user));
    await moveFolders(user, ids);
    expect(JSON.stringify(await readFolders(user))).not.toBe(before);
    const plan = await undo(user);
    expect(plan).toMatchObject({ summary: { update: 200 }, notRestored: [] });
    expect(await user.svc(['apply', 'undo.json', '--yes'])).toMatchObject({ code: 0 });
    expect(JSON.stringify(await readFolders(user))).toBe(before);
  });

  it.each(Array.from({ length: repeats(5) }, (_, at) => at + 1))(
    'never overwrites a later change (%i)',
    async () => {
      const user = await createApplyUser();
      const ids = await createFolders(user, 40);
      const before = new Map((await readFolders(user)).map((folder) => [folder.folderId, folder]));
      await moveFolders(user, ids);
      const foreign = ids
        .filter(() => Math.random() < 0.4)
        .map((folderId) => ({ folderId, folderName: `${folderId} foreign` }));
      if (foreign.length > 0)
        await user.service.call(`${FOLDERS}/update`, { organizationId: 'acme', folders: foreign });
      const { notRestored } = await undo(user);
      expect(notRestored).toEqual(
        expect.arrayContaining(
          foreign.map(
            ({ folderId }) =>
              `folders ${folderId} (acme) folderName: it was changed later, to "${folderId} foreign"`,
          ),
        ),
      );
      expect(notRestored).toHaveLength(foreign.length);
      expect(await user.svc(['apply', 'undo.json', '--yes'])).toMatchObject({ code: 0 });
      const names = new Map(foreign.map(({ folderId, folderName }) => [folderId, folderName]));
      for (const { folderId, folderName, parentFolderId } of await readFolders(user)) {
        expect(folderName).toBe(names.get(folderId) ?? before.get(folderId)?.folderName);
        expect(parentFolderId).toBe(before.get(folderId)?.parentFolderId);
      }
    },
  );

  it(
    'restores configurations and endpoints of svc apply, and names what cannot come back',
    SLOW,
    async () => {
      const user = await createApplyUser();
      await user.declare(settingsOf('acme'));
      await user.svc(['apply', '--yes']);
      const config = await user.read('/v2/workspace/webhookconfig/get');
      const changed = settingsOf('acme')
        .replace('hooks.example.com/acme', 'hooks.example.com/other')
        .replace(
          'filterTypes: [comment.add]',
          'filterTypes: [comment.update], description: changed',
        )
        .replace(/.*acme\.second.*\n/, '')
        .replace('folderName: B,', 'folderName: New,')
        .replace('folders:\n', 'folders:\n  - { organizationId: acme, folderId: new }\n');
      await user.declare(changed);
      const applied = await user.svc(['apply', '--yes', '--prune'], {
        HOOK_TOKEN: 'replaced-hook-token',
      });
      expect(applied).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Applied: 1 created, 3 updated, 1 deleted\n'),
      });
      const { stdout } = await user.svc(['undo', '--out', 'undo.json']);
      expect(stdout).toBe(`${user.env.SVC_BASE_URL}

~ folder b (acme)
    folderName: "New" → "B"
~ config webhook
    webhookServiceConfig.rawNotificationUrl: "https://hooks.example.com/other" → "https://hooks.example.com/acme"
~ endpoint acme.first
    description: "changed" → ""
    filterTypes: ["comment.update"] → ["comment.add"]
+ endpoint acme.second
    url: "https://hooks.example.com/second"

Not restored:
  config webhook webhookServiceConfig.authToken: svc does not store replaced secrets
  endpoint acme.second returns with a new ID and signing secret, and without its metadata
  1 record that the job created: creations are not undone

Plan: 1 to create, 3 to update
Access: no change
apply: svc apply undo.json
`);
      expect(await user.svc(['apply', 'undo.json', '--yes'])).toMatchObject({ code: 0 });
      const token = { authToken: 'replaced-hook-token' };
      expect(await user.read('/v2/workspace/webhookconfig/get')).toEqual({
        ...config,
        webhookServiceConfig: { ...config.webhookServiceConfig, ...token },
      });
      const { endpoints } = await user.read('/v2/workspace/advancedwebhook/endpoints/get');
      expect(endpoints).toMatchObject([
        { uid: 'acme.second', url: 'https://hooks.example.com/second' },
        { uid: 'acme.first', filterTypes: ['comment.add'] },
      ]);
      expect((await user.svc(['plan', '-o', 'json'], token)).code).toBe(0);
    },
  );

  it('restores the records of every organization that a file names', async () => {
    const user = await createApplyUser();
    const organizations = ['acme', 'beta', 'gamma'];
    const read = (organizationId: string) => user.read(`${FOLDERS}/get`, { organizationId });
    for (const organizationId of organizations) {
      const folders = ['f1', 'f2'].map((folderId) => ({
        folderId,
        folderName: `${folderId} of ${organizationId}`,
      }));
      await user.service.call(`${FOLDERS}/add`, {
        organizationId,
        createOrganization: true,
        folders,
      });
    }
    const before = await Promise.all(organizations.map(read));
    const rows = ['f1', 'f2'].flatMap((id) =>
      organizations.map((organization) => `${id},renamed,${organization}`),
    );
    await writeFile(
      join(user.home, 'folders.csv'),
      ['folderId,folderName,organizationId', ...rows].join('\n'),
    );
    expect(await user.svc(['folders', 'update', '--file', 'folders.csv'])).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await Promise.all(organizations.map(read))).not.toEqual(before);
    expect(await undo(user)).toMatchObject({ summary: { update: 6 }, notRestored: [] });
    expect(await user.svc(['apply', 'undo.json', '--yes'])).toMatchObject({ code: 0 });
    expect(await Promise.all(organizations.map(read))).toEqual(before);
  });

  it('makes an outdated plan if something changes before it is applied', async () => {
    const user = await createApplyUser();
    const ids = await createFolders(user, 3);
    await moveFolders(user, ids);
    await undo(user);
    const folders = [{ folderId: 'f1', folderName: 'foreign' }];
    await user.service.call(`${FOLDERS}/update`, { organizationId: 'acme', folders });
    user.requests.length = 0;
    expect(await user.svc(['apply', 'undo.json', '--yes'])).toMatchObject({ code: 15 });
    expect(user.writes()).toEqual([]);
  });

  it('keeps the replaced values in a file of the user, and none with SVC_UNDO=0', async () => {
    const user = await createApplyUser();
    const ids = await createFolders(user, 3);
    await moveFolders(user, ids, { SVC_UNDO: '0' });
    expect(await user.svc(['undo'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nothing can be undone'),
    });
    const [{ id }] = JSON.parse((await user.svc(['jobs', 'list', '-o', 'json'])).stdout);
    expect((await user.svc(['undo', id])).stdout).toContain(
      'the values that folders.update replaced are unknown',
    );
    await moveFolders(user, ids);
    const jobs = JSON.parse((await user.svc(['jobs', 'list', '-o', 'json'])).stdout);
    const job = jobs.find((each: { id: string }) => each.id !== id);
    const { mode } = await stat(join(user.state, 'jobs', job.id, 'before.ndjson'));
    expect(mode & 0o777).toBe(0o600);
    expect(await user.svc(['undo'])).toMatchObject({ code: 0 });
    expect(await user.svc(['undo', '20260131-094500-5f3a9c'])).toMatchObject({ code: 2 });
  });

  it('says why other jobs cannot be undone', async () => {
    const user = await createApplyUser();
    await writeFile(join(user.home, 'users.csv'), 'userId,name\nu1,Ada\n');
    await user.svc(['users', 'add', '--org', 'acme', '--file', 'users.csv']);
    const [{ id }] = JSON.parse((await user.svc(['jobs', 'list', '-o', 'json'])).stdout);
    expect(await user.svc(['undo', id])).toMatchObject({
      code: 0,
      stdout: `${user.env.SVC_BASE_URL}\n\nNot restored:\n  records that the job created stay\n\nPlan: no changes\n`,
    });
  });
});

it('sends one request for a single command, which cannot be undone', SLOW, async () => {
  const user = await createApplyUser();
  await user.declare(settingsOf('acme'));
  expect(await user.svc(['apply', '--yes'])).toMatchObject({ code: 0 });
  const { endpoints } = await user.read('/v2/workspace/advancedwebhook/endpoints/get');
  const [{ id }] = endpoints;
  for (const words of [
    ['folders', 'update', '--org', 'acme', '--folder', 'c', '--name', 'New'],
    ['webhooks', 'config', 'update', '--disable', '--yes'],
    ['webhooks', 'advanced', 'update', '--no-encode-data'],
    ['email', 'update', '--from-company', 'Acme'],
    ['webhooks', 'endpoints', 'update', id, '--description', 'New'],
    ['webhooks', 'endpoints', 'delete', id, '--yes'],
  ]) {
    user.requests.length = 0;
    expect([words, await user.svc(words)]).toMatchObject([words, { code: 0 }]);
    expect([words, user.requests.length]).toEqual([words, 1]);
  }
  expect(await readdir(user.state)).not.toContain('undo');
});
