import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc, { type GeneratorValue } from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import type { RequestHandler } from '../../src/service/calls/request.ts';
import { startServer } from '../../src/service/server.ts';
import { repeats } from '../repeats.ts';
import { startTestService } from '../service/test-service.ts';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';

const SETTINGS = {
  svc: 1,
  stack: 'acme',
  folders: [{ organizationId: 'acme', folderId: 'f1', folderName: 'Plans' }],
  documents: [{ organizationId: 'acme', documentId: 'd1', documentName: 'Plan' }],
  endpoints: [{ uid: 'acme.billing', url: 'https://x.example/a' }],
  config: { webhook: { useWebhookService: true } },
};

const LINES = [
  'plan',
  'apply --yes',
  'pull pulled.yaml --yes',
  'drift',
  'documents list --org acme --all',
  'documents list --org acme -o csv',
  'folders tree --org acme',
  'folders list --org acme',
  'users data --org acme --user u1',
  'users add --org acme --file users.json',
  'documents add --org acme --document d9',
  'presence update --org acme --document d1 --user u1 --status online',
  'webhooks endpoints list',
  'webhooks advanced get',
  'workspace get',
  'whoami --all',
  'doctor',
  'agents list',
  'email get -o yaml',
  'crdt get --org acme --document d1',
  'api /v2/organizations/documents/get --data {"organizationId":"acme"}',
];

const VALUES = [null, '', 'x', 0, -1, 1e21, true, [], {}, [null], { a: 1 }, '\u001b[31m', '💥'];

/** Replaces, removes, repeats, or adds a few values of a response. */
function change(choose: GeneratorValue, response: unknown): unknown {
  const root: Record<string, unknown> = { response };
  const count = choose(fc.integer, { min: 1, max: 3 });
  for (let at = 0; at < count; at += 1) {
    const places = findPlaces(root);
    const [holder, key] = places[choose(fc.nat, places.length - 1)] ?? [root, 'response'];
    const other = structuredClone(choose(fc.constantFrom, ...VALUES));
    const action = choose(fc.constantFrom, 'replace', 'remove', 'repeat', 'add');
    if (action === 'replace') holder[key] = other;
    else if (action === 'add' && !Array.isArray(holder)) holder['added'] = other;
    else if (action === 'repeat' && Array.isArray(holder))
      holder.push(structuredClone(holder[Number(key)]));
    else if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else if (holder !== root) Reflect.deleteProperty(holder, key);
  }
  return root['response'];
}

type Holder = Record<string, unknown>;

function findPlaces(value: unknown): readonly [holder: Holder, key: string][] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Holder;
  return Object.keys(holder).flatMap((key) => [[holder, key], ...findPlaces(holder[key])]);
}

it('responses that are changed at random never reveal a bug', SLOW, async () => {
  const service = await startTestService();
  let choose: GeneratorValue | undefined;
  const handle: RequestHandler = async (request) => {
    const response = await service.handle(request);
    if (!choose?.(fc.boolean)) return response;
    return { ...response, body: JSON.stringify(change(choose, JSON.parse(response.body))) };
  };
  const { url, close } = await startServer(handle, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => close());
  const user = await newUserInProcess();
  const { apiKey, authToken, workspaceId, workspaceAuthToken } = service.credentials;
  const env = {
    SVC_BASE_URL: url,
    SVC_API_KEY: apiKey,
    SVC_AUTH_TOKEN: authToken,
    SVC_WORKSPACE_ID: workspaceId,
    SVC_WORKSPACE_AUTH_TOKEN: workspaceAuthToken,
  };
  await writeFile(join(user.home, 'svc.yaml'), JSON.stringify(SETTINGS));
  await writeFile(join(user.home, 'users.json'), '[{"userId":"u1"},{"userId":"u2"}]');
  const svc = (line: string) => user.svc([...line.split(' '), '--max-wait', '0s'], { env });
  for (const line of [
    'users add --org acme --file users.json',
    'webhooks advanced update --enable',
  ])
    expect(await svc(line)).toMatchObject({ code: 0 });
  expect(await svc('apply --yes')).toMatchObject({ code: 0 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...LINES), fc.gen(), async (line, generated) => {
      choose = generated;
      const { code, stdout, stderr } = await svc(line);
      expect(code, stderr).not.toBe(1);
      expect(stdout + stderr).not.toMatch(/undefined|\[object |\bNaN\b/);
      // CSV contains the data as it is.
      if (!line.endsWith('csv')) expect(stdout + stderr).not.toContain('\u001b');
    }),
    { numRuns: repeats(300) },
  );
});
