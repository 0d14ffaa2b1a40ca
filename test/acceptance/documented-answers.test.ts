import { describe, expect, it } from 'vitest';
import { loadOperation, type OperationName } from '../../src/catalog/index.ts';
import { getEntry, manifest } from '../../src/catalog/manifest.ts';
import { createSampleState } from '../../src/contract/sample-state.ts';
import { createClient } from '../../src/library/client.ts';
import { importState } from '../../src/service/state/transfer.ts';
import { DOCUMENTED_AGENT, DOCUMENTED_ANSWERS, DOCUMENTED_IDS } from '../documented-answers.ts';
import { startTestService, type TestService } from '../service/test-service.ts';
import { writeData } from './doors.ts';
import { newUserInProcess } from './in-process.ts';
import { startMockService } from './mock-service.ts';

const ORG = { organizationId: 'acme' };
/** Objects whose keys are IDs or event types. */
const MAPS: readonly string[] = ['apiKeyList', 'triggers'];

/** The fields of a value with their kinds, and the first element of each array. */
function shapeOf(value: unknown): unknown {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object') return typeof value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      MAPS.includes(name) ? shapeOf(Object.values(inner)) : shapeOf(inner),
    ]),
  );
}

async function sampleOf(name: OperationName, known = DOCUMENTED_IDS): Promise<object> {
  return (await loadOperation(getEntry(name).resource, name)).sample(known);
}

/** Creates the records of the samples, with all their fields. */
async function startWithRecords(): Promise<TestService> {
  const service = await startTestService();
  const { store, clock } = service;
  const { apiKey } = service.credentials;
  const state = createSampleState();
  await importState(
    { store, apiKey, now: clock.now(), dryRun: false },
    {
      ...state,
      folders: [
        { ...ORG, folderId: 'f1', folderName: 'Plans' },
        { ...ORG, folderId: 'f2', folderName: 'Old', parentFolderId: 'f1' },
      ],
      agents: [{ ...DOCUMENTED_AGENT, executionCount: 2, lastExecutedAt: clock.now() }],
      agentGroups: [{ groupId: 'ag1', agentIds: ['agent-1'] }],
      userData: [],
    },
  );
  for (const name of ['users.add', 'email.update', 'webhooks.config.update'] as const)
    await service.call(getEntry(name).path, await sampleOf(name));
  return service;
}

describe('the answer of the embedded service to the sample of each operation', () => {
  it.each(manifest.map(({ name }) => name))('%s', async (name) => {
    const { call, credentials } = await startWithRecords();
    const migrated = await call(getEntry('documents.migrate').path, {
      ...ORG,
      documentId: 'd2',
      newDocumentId: 'd8',
    });
    const known = {
      apiKey: credentials.apiKey,
      last: () => migrated.body.result?.data.migrationId,
    };
    const { http, body } = await call(getEntry(name).path, await sampleOf(name, known));
    const { message, data } = DOCUMENTED_ANSWERS[name];
    expect({ http, message: body.result?.['message'], data: shapeOf(body.result?.data) }).toEqual({
      http: 200,
      message,
      data: shapeOf(data),
    });
  });
});

describe('the documented answer to the sample of each operation is read', () => {
  it.each(manifest.map((entry) => [entry.name, entry] as const))('%s', async (name, entry) => {
    const { message, data, beside } = DOCUMENTED_ANSWERS[name];
    const sample = await sampleOf(name);
    const result = { status: 'success', message, data, ...beside };
    const { env, received } = await startMockService(() => ({ body: { result } }));
    const workspace = { SVC_WORKSPACE_ID: 'w1', SVC_WORKSPACE_AUTH_TOKEN: 'token-0001' };
    const { svc } = await newUserInProcess();
    const hasVersions =
      manifest.filter(({ command }) => command.join() === entry.command.join()).length > 1;
    const version = hasVersions ? ['--api-version', entry.version] : [];
    const flags = ['--yes', '--show-secrets', '-o', 'json'];
    const isBulk = entry.bulk === 'array';
    const run = await svc(
      [
        ...entry.command,
        ...version,
        ...writeData(sample),
        ...flags,
        ...(isBulk ? [] : ['--envelope']),
      ],
      { env: { ...env, ...workspace, SVC_UNDO: '0' } },
    );
    expect(run.code, run.stderr).toBe(0);
    expect(received.map(({ path }) => path)).toEqual([entry.path]);
    const printed = JSON.parse(run.stdout);
    if (isBulk) expect(printed).toMatchObject({ total: 1, succeeded: 1, failed: 0, unknown: 0 });
    else expect(printed).toEqual(result);

    const client = createClient({
      baseUrl: env.SVC_BASE_URL,
      apiKey: 'key',
      authToken: 'token-0001',
      workspaceId: 'w1',
      workspaceAuthToken: 'token-0001',
    });
    expect(await client.call(name, sample as never)).toEqual(data ?? null);
  });
});
