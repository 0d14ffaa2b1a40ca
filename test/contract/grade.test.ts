import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { manifest } from '../../src/catalog/manifest.ts';
import { type Contract, EMPTY_CONTRACT } from '../../src/contract/contract.ts';
import { formatContract, parseContract } from '../../src/contract/contract-file.ts';
import { gradeContract } from '../../src/contract/grade.ts';
import { playSamples } from '../../src/contract/play-samples.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { importState } from '../../src/service/state/transfer.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
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
      const { findings, verdicts } = gradeContract(
        throughFile(await recorder.contract()),
        embedded,
      );
      expect(findings).toEqual([]);
      compared += verdicts.filter(({ verdict }) => verdict.startsWith('agrees')).length;
    }),
    { numRuns: repeats(100) },
  );
  expect(compared).toBeGreaterThan(1_000);
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

test('a decision is a sentence of its own', () => {
  for (const { name, decision } of manifest)
    expect(decision, name).toMatch(/^[A-Za-z][^\n]{15,}[^.]$/);
});
