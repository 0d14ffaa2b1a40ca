import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { manifest } from '../../src/catalog/manifest.ts';
import { type Contract, EMPTY_CONTRACT } from '../../src/contract/contract.ts';
import {
  formatContract,
  parseContract,
  readContractFile,
} from '../../src/contract/contract-file.ts';
import { gradeAgainstEmulators } from '../../src/contract/emulators.ts';
import { gradeContract } from '../../src/contract/grade.ts';
import { mergeContracts } from '../../src/contract/merge.ts';
import { playSamples } from '../../src/contract/play-samples.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { ServiceOptions } from '../../src/service/app.ts';
import { importState } from '../../src/service/state/transfer.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { createRandomCalls, randomState } from './random-calls.ts';
import { startRecordedWorld } from './recorded-world.ts';

let embedded: Contract;
beforeAll(async () => {
  embedded = await playSamples({ clock: systemClock });
});

const played = new Map<string, Promise<Contract>>();

/** Returns the contract of the embedded service with these options, which is played once. */
function play(options: ServiceOptions): Promise<Contract> {
  const key = JSON.stringify([options.strict ?? false, options.without ?? []]);
  const known = played.get(key) ?? playSamples({ clock: systemClock }, options);
  played.set(key, known);
  return known;
}

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

test('svc serve has no finding with 100 random states', {
  ...SLOW,
  timeout: 300_000,
}, async () => {
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
      const recorded = throughFile(await recorder.contract());
      const { findings, verdicts } = await gradeAgainstEmulators(recorded, play);
      const ofPlain = given.strict ? findings.filter(({ kind }) => kind !== 'options') : findings;
      expect(ofPlain).toEqual([]);
      compared += verdicts.filter(({ verdict }) => verdict.startsWith('agrees')).length;
    }),
    { numRuns: repeats(100) },
  );
  expect(compared).toBeGreaterThan(1_000);
});

describe('the embedded service that is most like the recorded one', () => {
  const gradeCalls = async (
    options: ServiceOptions,
    calls: readonly (readonly [path: string, data: unknown])[],
  ) => {
    const { recorder, call } = await startRecordedWorld(options);
    for (const [path, data] of calls) await call(path, data);
    return gradeAgainstEmulators(throughFile(await recorder.contract()), play);
  };
  const documents = { organizationId: 'acme', documents: [{ documentId: 'd1' }] };
  const CALLS = [
    ['/v2/workspace/advancedwebhookconfig/get', {}],
    ['/v2/organizations/folders/get', { organizationId: 'acme' }],
    ['/v1/organizations/documents/add', documents],
    ['/v1/organizations/documents/add', documents],
  ] as const;

  test.each([
    [{}, 'svc serve'],
    [{ strict: true }, 'svc serve --strict'],
    [{ without: ['advanced-webhooks'] }, 'svc serve --without advanced-webhooks'],
    [{ without: ['advanced-queries'] }, 'svc serve --without advanced-queries'],
    [
      { strict: true, without: ['advanced-queries', 'advanced-webhooks'] },
      'svc serve --strict --without advanced-queries,advanced-webhooks',
    ],
  ] as const)('with the options %j', SLOW, async (options, command) => {
    const { emulator, findings } = await gradeCalls(options, CALLS);
    expect(emulator).toBe(command);
    expect(findings.map(({ kind, recorded }) => [kind, recorded])).toEqual(
      command === 'svc serve' ? [] : [['options', command]],
    );
  });

  test('is one, so a service that is like two of them has findings', SLOW, async () => {
    const { recorder, call } = await startRecordedWorld({ without: ['advanced-webhooks'] });
    await call('/v2/workspace/advancedwebhookconfig/get', {});
    const plain = await startRecordedWorld();
    await plain.call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await plain.call('/v2/workspace/advancedwebhookconfig/get', {});
    const both = mergeContracts(await recorder.contract(), await plain.recorder.contract());
    const { findings } = await gradeAgainstEmulators(throughFile(both), play);
    expect(findings).not.toEqual([]);
  });

  test('is not chosen by an outage', async () => {
    const body = JSON.stringify({ error: { status: 'INTERNAL', message: 'Internal error' } });
    const { recorder, call } = await startRecordedWorld(
      {},
      () => new Response(body, { status: 500 }),
    );
    await call('/v1/organizations/documents/add', documents);
    const { emulator, findings } = await gradeAgainstEmulators(await recorder.contract(), play);
    expect([emulator, findings]).toEqual(['svc serve', []]);
  });
});

test('a contract file of an earlier version is still read and compared', async () => {
  const path = join(import.meta.dirname, 'earlier-contract.json');
  const recorded = await readContractFile(path, 'earlier-contract.json');
  const { emulator, findings, verdicts } = await gradeAgainstEmulators(recorded, play);
  expect({ emulator, findings }).toEqual({ emulator: 'svc serve', findings: [] });
  expect(verdicts).toContainEqual({
    operation: 'documents.list',
    verdict: 'agrees',
    seen: 4,
    findings: 0,
  });
});

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

test('an operation of which only outages were seen agrees on nothing', async () => {
  const { recorder, call } = await startRecordedWorld(
    {},
    () => new Response(JSON.stringify(failure('UNAVAILABLE')), { status: 503 }),
  );
  await call('/v2/workspace/webhookconfig/get', {});
  const { verdicts } = gradeContract(await recorder.contract(), embedded);
  expect(verdicts).toContainEqual({
    operation: 'webhooks.config.get',
    verdict: 'not_compared',
    seen: 1,
    findings: 0,
  });
});

test('a decision is a sentence of its own', () => {
  for (const { name, decision } of manifest)
    expect(decision, name).toMatch(/^[A-Za-z][^\n]{15,}[^.]$/);
});
