import { describe, expect, it } from 'vitest';
import { loadOperation } from '../../src/catalog/index.ts';
import { errorOf, failure, json, newClient, scriptedFetch, success } from './client-fixture.ts';

const one = { id: 'd1', documentName: 'One' };
const three = { id: 'd3', documentName: 'Three' };
const missing = { success: false, message: 'Document does not exist.', code: 'not-found' };
const internal = { success: false, message: 'Try again.', code: 'internal' };
const strict = (details: unknown) =>
  json({ error: { status: 'INTERNAL', message: 'Some failed.', details } }, 500);

/** Reads d1, d2, and d3. */
async function list(...steps: readonly Response[]) {
  const { fetch, requests } = scriptedFetch(...steps);
  const { client } = newClient({ fetch });
  const input = { organizationId: 'acme', documentIds: ['d1', 'd2', 'd3'] };
  const call = client.call(await loadOperation('documents', 'documents.list'), input as never);
  const result = await call.catch((error: unknown) => error);
  const asked = await Promise.all(
    requests.map(async (request) => JSON.parse(await request.text()).data.documentIds),
  );
  return { call, result, asked };
}

describe('a read by IDs that failed with results in its details', () => {
  it.each([
    [
      'a map by ID',
      { d3: { success: true, ...three }, d2: missing, d1: { success: true, ...one, id: '4711' } },
    ],
    ['a list in the order of the request', [{ success: true, ...one }, missing, three]],
  ])('returns the records of %s that exist', async (_, details) => {
    const { result, asked } = await list(strict(details));
    expect(result).toMatchObject({ sent: true, data: [one, three] });
    expect(Object.keys((result as { data: object[] }).data[0] ?? {}).toSorted()).toEqual([
      'documentName',
      'id',
    ]);
    expect(asked).toHaveLength(1);
  });

  it('is empty if no record exists', async () => {
    const { result, asked } = await list(strict([missing, missing, missing]));
    expect(result).toMatchObject({ data: [] });
    expect(asked).toHaveLength(1);
  });

  it('requests internal failures and results without fields once more', async () => {
    const first = strict({ d1: { success: true, id: 'd1' }, d2: missing, d3: internal });
    const { result, asked } = await list(first, success([one, three]));
    expect(result).toMatchObject({ data: [one, three] });
    expect(asked).toEqual([
      ['d1', 'd2', 'd3'],
      ['d1', 'd3'],
    ]);
  });

  it('keeps the known records if the second response adds none', async () => {
    const bare = { d1: { success: true, id: 'x' }, d2: missing, d3: { success: true } };
    const { result, asked } = await list(strict(bare), strict({ d1: bare.d1, d3: bare.d3 }));
    expect(result).toMatchObject({ data: [{ id: 'd1' }, { id: 'd3' }] });
    expect(asked).toHaveLength(2);
  });

  it.each([
    [
      'an ID that fails inside the service again',
      [strict([one, missing, internal]), strict([internal])],
    ],
    [
      'an ID that fails for another reason',
      [strict([one, { success: false, code: 'locked' }, three])],
    ],
    ['an ID without a result', [strict({ d1: one, d2: missing })]],
    [
      'details other than results, after the retries of a read',
      Array.from({ length: 3 }, () => strict({ hint: 'ask support' })),
    ],
    ['a list of another length', [strict([missing])]],
    ['no details', [failure('NOT_FOUND', 404)]],
  ])('fails with %s', async (_, steps) => {
    const { call, asked } = await list(...steps);
    expect(await errorOf(call)).toMatchObject({ name: 'ServiceError' });
    expect(asked).toHaveLength(steps.length);
  });
});
