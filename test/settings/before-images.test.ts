import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rememberSecret } from '../../src/kernel/redact.ts';
import {
  appendImages,
  type BeforeImage,
  createImageSaver,
  readBeforeImages,
} from '../../src/settings/undo/before-images.ts';
import { failure, newClient, scriptedFetch } from '../client/client-fixture.ts';
import type { TestService } from '../service/test-service.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { startPlannedWorld } from './planned-world.ts';

const UPDATE_WEBHOOK = '/v2/workspace/webhookconfig/update';

const webhook = (authToken: string, rawNotificationUrl: string) => ({
  webhookServiceConfig: { authToken, rawNotificationUrl },
});

/** Creates an image saver for an embedded service, and a list of what it saved. */
async function startSaving() {
  const { service, client } = await startPlannedWorld();
  const images: BeforeImage[] = [];
  const warnings: string[] = [];
  const save = createImageSaver({
    client,
    clock: service.clock,
    append: async (saved) => void images.push(...saved),
    warn: async (text) => void warnings.push(text),
  });
  return { call: service.call, images, warnings, save };
}

async function createEndpoint(call: TestService['call']) {
  const url = 'https://hooks.example.com/';
  await call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  const { body } = await call('/v2/workspace/advancedwebhook/endpoints/create', { url });
  return { url, endpointId: String(body.result?.data.id) };
}

describe('the values that a write replaces', () => {
  it('contain no secret: neither in its own field nor in a text with a known secret', async () => {
    const { call, images, save } = await startSaving();
    // Too short to be masked by its value.
    const [token, known] = ['abc', rememberSecret('known-secret-77')];
    const url = (name: string) => `https://hooks.example.com/${name}`;
    await call(UPDATE_WEBHOOK, webhook(token, url(known)));
    await save('webhooks.config.update', [webhook('new-token', url('new'))]);
    expect(images).toEqual([
      {
        key: 'config//webhook',
        fields: [],
        secrets: ['webhookServiceConfig.authToken', 'webhookServiceConfig.rawNotificationUrl'],
      },
    ]);
  });

  it('contain the other fields of the write before and after it, without the identity', async () => {
    const { call, images, save } = await startSaving();
    await call('/v2/organizations/folders/add', {
      organizationId: 'acme',
      createOrganization: true,
      folders: [{ folderId: 'plans', folderName: 'Plans' }],
    });
    const write = { organizationId: 'acme', folderId: 'plans', folderName: 'Roadmap' };
    await save('folders.update', [write]);
    // The second write of a record replaces nothing that was there before the job.
    await save('folders.update', [{ ...write, folderName: 'Other' }]);
    expect(images).toEqual([
      {
        key: 'folders/acme/plans',
        fields: [{ path: ['folderName'], before: 'Plans', after: 'Roadmap' }],
        secrets: [],
      },
    ]);
  });

  it('are those at the time of the write', async () => {
    const { call, images, save } = await startSaving();
    const [one, other] = ['one', 'other'].map((folderId) => ({ folderId, folderName: 'New' }));
    const inAcme = (folders: readonly unknown[]) => ({ organizationId: 'acme', folders });
    await call('/v2/organizations/folders/add', {
      ...inAcme([one, other]),
      createOrganization: true,
    });
    await save('folders.update', [{ organizationId: 'acme', ...one, folderName: 'Mine' }]);
    await call('/v2/organizations/folders/update', inAcme([{ ...other, folderName: 'Theirs' }]));
    await save('folders.update', [{ organizationId: 'acme', ...other, folderName: 'Mine' }]);
    expect(images.map(({ fields }) => fields[0]?.before)).toEqual(['New', 'Theirs']);
  });

  it('are missing with one warning if they cannot be read', async () => {
    const { fetch } = scriptedFetch(failure('PERMISSION_DENIED', 403));
    const { client, clock } = newClient({ fetch });
    const warnings: string[] = [];
    const append = () => Promise.reject(new Error('nothing was read'));
    const warn = async (text: string) => void warnings.push(text);
    const save = createImageSaver({ client, clock, append, warn });
    for (const folderId of ['one', 'other'])
      await save('folders.update', [{ organizationId: 'acme', folderId }]);
    expect(warnings).toEqual([expect.stringMatching(/^the job cannot be undone completely: /)]);
  });

  it('of an endpoint contain no difference for the field that only the operation has', async () => {
    const { call, images, save } = await startSaving();
    const { endpointId, url } = await createEndpoint(call);
    await save('webhooks.endpoints.update', [{ endpointId, url: `${url}new` }]);
    expect(images[0]?.fields).toEqual([{ path: ['url'], before: url, after: `${url}new` }]);
  });

  it('are all fields of a record that is deleted', async () => {
    const { call, images, save } = await startSaving();
    const { endpointId, url } = await createEndpoint(call);
    await save('webhooks.endpoints.delete', [{ endpointId }]);
    expect(images).toMatchObject([{ key: `endpoints//${endpointId}`, isDeleted: true }]);
    expect(images[0]?.fields).toContainEqual({ path: ['url'], before: url, after: null });
  });
});

it('readBeforeImages returns the first image of each record, and ignores an incomplete line', async () => {
  const path = join(await createTemporaryFolder(), 'before.ndjson');
  const image = (key: string, before: string): BeforeImage => ({
    key: key as BeforeImage['key'],
    fields: [{ path: ['folderName'], before, after: 'new' }],
    secrets: [],
  });
  const [first, other, second] = [
    image('folders/acme/a', 'original'),
    image('folders/acme/b', 'b'),
    image('folders/acme/a', 'written by the job'),
  ];
  await appendImages(path, [first, other]);
  await appendImages(path, [second]);
  await appendFile(path, JSON.stringify(image('folders/acme/c', 'c')).slice(0, 30));
  expect(await readBeforeImages(path)).toEqual([first, other]);
  expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(4);
  expect(await readBeforeImages(`${path}.absent`)).toEqual([]);
});
