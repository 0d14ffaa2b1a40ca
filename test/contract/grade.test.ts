import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { manifest } from '../../src/catalog/manifest.ts';
import { COMPANIONS } from '../../src/contract/companions.ts';
import { type Contract, EMPTY_CONTRACT } from '../../src/contract/contract.ts';
import { formatContract, parseContract } from '../../src/contract/contract-file.ts';
import { gradeContract } from '../../src/contract/grade.ts';
import { playSamples } from '../../src/contract/play-samples.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { importState } from '../../src/service/state/transfer.ts';
import { repeats } from '../repeats.ts';
import { createValidCalls } from '../service/valid-calls.ts';
import { createRandomCalls, randomState } from './random-calls.ts';
import { startRecordedWorld } from './recorded-world.ts';

let embedded: Contract;
beforeAll(async () => {
  embedded = await playSamples(systemClock);
});

const throughFile = (contract: Contract) =>
  parseContract(formatContract(contract), 'contract.json');

test('the samples show every operation of the interface succeed and fail', () => {
  for (const { name } of manifest) {
    const outcomes = embedded.operations.get(name) ?? [];
    expect(
      outcomes.map(({ status }) => status),
      name,
    ).toContain('success');
    expect(
      outcomes.some(({ http }) => http >= 400),
      name,
    ).toBe(true);
  }
});

test('the embedded service agrees with itself in every operation', () => {
  const grading = gradeContract(throughFile(embedded), embedded);
  expect(grading.findings).toEqual([]);
  expect(grading.listed).toEqual([]);
  expect(new Set(grading.verdicts.map(({ verdict }) => verdict))).toEqual(new Set(['agrees']));
});

test('100 random worlds of an unchanged service have no finding', async () => {
  const calls = await createRandomCalls();
  const options = fc.record(
    { strict: fc.boolean(), rateLimit: fc.constant({ calls: 20, window: 60_000 }) },
    { requiredKeys: ['strict'] },
  );
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(randomState, calls, options, async (state, sent, given) => {
      const { service, recorder, call } = await startRecordedWorld(given);
      const { apiKey } = service.credentials;
      const target = { store: service.store, apiKey, now: service.clock.now(), dryRun: false };
      await importState(target, state);
      for (const { path, auth, data } of sent)
        await call(path, data, auth === 'key' ? undefined : auth);
      const { findings, verdicts } = gradeContract(
        throughFile(await recorder.contract()),
        embedded,
      );
      expect(findings).toEqual([]);
      compared += verdicts.filter(({ verdict }) => verdict === 'agrees').length;
    }),
    { numRuns: repeats(100) },
  );
  expect(compared).toBeGreaterThan(1_000);
}, 300_000);

test('an operation that was never recorded is not seen', () => {
  const { verdicts, findings } = gradeContract(EMPTY_CONTRACT, embedded);
  expect(findings).toEqual([]);
  expect(verdicts).toHaveLength(manifest.length);
  expect(new Set(verdicts.map(({ verdict }) => verdict))).toEqual(new Set(['not_seen']));
});

const failure = (status: string, message = 'x') => ({ error: { status, message } });

describe('an operation that the service does not have', () => {
  test.each([
    ['UNIMPLEMENTED', 501, JSON.stringify(failure('UNIMPLEMENTED'))],
    ['a page', 404, '<html>not found</html>'],
  ])('is not offered if it is a companion: %s', async (_, status, body) => {
    const { recorder, call } = await startRecordedWorld({}, () => new Response(body, { status }));
    await call('/v2/workspace/emailconfig/get', {});
    const { verdicts, findings } = gradeContract(await recorder.contract(), embedded);
    expect(findings).toEqual([]);
    expect(verdicts.find(({ operation }) => operation === 'email.get')?.verdict).toBe(
      'not_offered',
    );
  });

  test('is a finding if the interface documents it', async () => {
    const body = JSON.stringify(failure('UNIMPLEMENTED'));
    const { recorder, call } = await startRecordedWorld(
      {},
      () => new Response(body, { status: 501 }),
    );
    await call('/v2/workspace/webhookconfig/get', {});
    const { findings } = gradeContract(await recorder.contract(), embedded);
    expect(findings).toMatchObject([{ kind: 'status', recorded: 'UNIMPLEMENTED', embedded: null }]);
  });
});

test('outages are counted as not compared, unless their HTTP status is wrong', async () => {
  const statuses = [503, 500];
  const { recorder, call } = await startRecordedWorld(
    {},
    () => new Response(JSON.stringify(failure('UNAVAILABLE')), { status: statuses.shift() ?? 0 }),
  );
  await call('/v2/workspace/webhookconfig/get', {});
  await call('/v2/workspace/webhookconfig/get', {});
  const { findings, notCompared } = gradeContract(await recorder.contract(), embedded);
  expect(notCompared).toMatchObject([{ outcome: '503 UNAVAILABLE', seen: 1 }]);
  expect(findings).toMatchObject([{ kind: 'http', recorded: '500', embedded: '503' }]);
});

// biome-ignore lint/suspicious/noExplicitAny: deviations change bodies of every shape
type Body = any;
interface Deviation {
  readonly name: string;
  readonly path: string;
  readonly change: (body: Body) => Body;
  readonly http?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The finding, or undefined if the rules do not name the deviation. */
  readonly finding?: { readonly kind: string; readonly path: string | null };
  /** Text of the difference that is listed apart. */
  readonly listed?: string;
}

const CONFIG = '/v2/workspace/webhookconfig/get';
const FOLDERS = '/v2/organizations/folders/get';
const DOCUMENTS = '/v2/organizations/documents/get';
const ENDPOINTS = '/v2/workspace/advancedwebhook/endpoints/get';
const AGENT = '/v2/agents/get';
const USERS = '/v1/users/add';
const CRDT = '/v2/crdt/update';
const edit = (change: (body: Body) => unknown) => (body: Body) => {
  change(body);
  return body;
};

/** 25 ways in which a service can deviate. */
const DEVIATIONS: readonly Deviation[] = [
  {
    name: 'a missing field',
    path: FOLDERS,
    change: edit(({ result }) => {
      for (const folder of result?.data ?? []) delete folder.ancestors;
    }),
    listed: 'data[].ancestors',
  },
  {
    name: 'a missing field of the envelope',
    path: CONFIG,
    change: edit(({ result }) => delete result.message),
    listed: 'message',
  },
  {
    name: 'a missing field of one record',
    path: FOLDERS,
    change: edit(({ result }) => delete result?.data[0]?.accessType),
    listed: 'data[].accessType',
  },
  {
    name: 'an extra field',
    path: FOLDERS,
    change: edit(({ result }) => Object.assign(result?.data[0] ?? {}, { locked: true })),
    finding: { kind: 'field', path: 'data[].locked' },
  },
  {
    name: 'an extra object',
    path: DOCUMENTS,
    change: edit(({ result }) => Object.assign(result?.data[0] ?? {}, { owner: { id: 'u1' } })),
    finding: { kind: 'field', path: 'data[].owner' },
  },
  {
    name: 'an extra field in the result',
    path: ENDPOINTS,
    change: edit(({ result }) => Object.assign(result, { total: 2 })),
    finding: { kind: 'field', path: 'total' },
  },
  {
    name: 'an extra field beside the envelope',
    path: CONFIG,
    change: edit((body) => Object.assign(body, { version: 2 })),
    finding: { kind: 'field', path: '/version' },
  },
  {
    name: 'an extra field of an item',
    path: USERS,
    change: edit(({ result }) => Object.assign(result.data.u1, { created: true })),
    finding: { kind: 'field', path: 'data.*.created' },
  },
  {
    name: 'an extra field of an error',
    path: AGENT,
    change: edit(({ error }) => Object.assign(error, { code: 5 })),
    finding: { kind: 'field', path: 'code' },
  },
  {
    name: 'a number as a text',
    path: FOLDERS,
    change: edit(({ result }) => Object.assign(result?.data[0] ?? {}, { createdAt: 'now' })),
    finding: { kind: 'type', path: 'data[].createdAt' },
  },
  {
    name: 'a boolean as a number',
    path: CONFIG,
    change: edit(({ result }) => Object.assign(result.data, { useWebhookService: 0 })),
    finding: { kind: 'type', path: 'data.useWebhookService' },
  },
  {
    name: 'a list as a map',
    path: ENDPOINTS,
    change: edit(({ result }) => Object.assign(result.data, { endpoints: {} })),
    finding: { kind: 'type', path: 'data.endpoints' },
  },
  {
    name: 'a field that may be null',
    path: DOCUMENTS,
    change: edit(({ result }) => Object.assign(result?.data[0] ?? {}, { disabled: null })),
    finding: { kind: 'type', path: 'data[].disabled' },
  },
  {
    name: 'null instead of an empty list',
    path: FOLDERS,
    change: edit(({ result }) => Object.assign(result ?? {}, { data: null })),
    finding: { kind: 'type', path: 'data' },
  },
  {
    name: 'another HTTP status of an error',
    path: AGENT,
    change: (body) => body,
    http: 400,
    finding: { kind: 'http', path: null },
  },
  {
    name: 'another HTTP status of a success',
    path: CONFIG,
    change: (body) => body,
    http: 201,
    finding: { kind: 'http', path: null },
  },
  {
    name: 'a body without the envelope',
    path: CONFIG,
    change: ({ result }) => result,
    finding: { kind: 'envelope', path: null },
  },
  {
    name: 'the data alone',
    path: FOLDERS,
    change: ({ result }) => result.data,
    finding: { kind: 'status', path: null },
  },
  {
    name: 'another error status with the same message',
    path: AGENT,
    change: edit(({ error }) => Object.assign(error, { status: 'INVALID_ARGUMENT' })),
    http: 400,
    finding: { kind: 'status', path: null },
  },
  {
    name: 'an error status that the operation never has',
    path: CRDT,
    change: edit(({ error }) => Object.assign(error, { status: 'OUT_OF_RANGE' })),
    http: 400,
    finding: { kind: 'status', path: null },
  },
  {
    name: 'another message',
    path: AGENT,
    change: edit(({ error }) => Object.assign(error, { message: 'This agent does not exist.' })),
    listed: 'message',
  },
  {
    name: 'another form of the last cursor',
    path: ENDPOINTS,
    change: edit(({ result }) => Object.assign(result.data, { iterator: '' })),
  },
  {
    name: 'another page size',
    path: DOCUMENTS,
    change: edit(({ result }) => result?.data.splice(1)),
  },
  {
    name: 'a value that the interface does not name',
    path: FOLDERS,
    change: edit(({ result }) => Object.assign(result?.data[0] ?? {}, { accessType: 'secret' })),
    listed: 'data[].accessType',
  },
  {
    name: 'another order, and a header about the rate limit',
    path: DOCUMENTS,
    change: edit(({ result }) => result?.data.reverse()),
    headers: { 'x-ratelimit-limit': '60' },
    listed: 'headers',
  },
];

test('there are 25 deviations', () => {
  expect(DEVIATIONS).toHaveLength(25);
});

test.each(DEVIATIONS)('$name', async ({ path, change, http, headers, finding, listed }) => {
  const { service, recorder, call } = await startRecordedWorld({}, async (called, response) => {
    if (called !== path) return response;
    const body = JSON.stringify(change(JSON.parse(await response.text())));
    return new Response(body, { status: http ?? response.status, headers: headers ?? {} });
  });
  const calls = await createValidCalls(service);
  await service.call('/v1/organizations/documents/add', {
    organizationId: 'acme',
    documents: [{ documentId: 'd8' }, { documentId: 'd9' }],
  });
  await call(CONFIG, calls['webhooks.config.get']);
  await call(FOLDERS, { organizationId: 'acme' });
  await call(DOCUMENTS, { organizationId: 'acme' });
  await call(ENDPOINTS, {});
  await call(AGENT, { agentId: 'unknown' });
  await call(USERS, { organizationId: 'acme', users: [{ userId: 'u1', name: 'Ada' }] });
  await call(CRDT, { ...calls['crdt.update'], editorId: 'unknown' });
  const grading = gradeContract(throughFile(await recorder.contract()), embedded);
  expect(grading.findings.map((each) => ({ kind: each.kind, path: each.path }))).toEqual(
    finding ? [finding] : [],
  );
  expect(grading.listed.map((each) => each.path)).toEqual(listed === undefined ? [] : [listed]);
  for (const { decision, seen } of grading.findings) {
    expect(decision.text).not.toBe('');
    expect(seen).toBeGreaterThan(0);
  }
});

test('companions are operations, and core operations are not among them', () => {
  const names = new Set<string>(manifest.map(({ name }) => name));
  expect([...COMPANIONS].filter((name) => !names.has(name))).toEqual([]);
  expect(manifest.length - COMPANIONS.size).toBe(28);
});
