import { expect, test } from 'vitest';
import { foldRequests, medianOf } from '../../pages/inspector/fold-requests.ts';
import type { RequestRecord } from '../../src/catalog/local/answers.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import { formatOperation } from '../../src/catalog/operation-name.ts';

const request = (id: number, fields: Partial<RequestRecord> = {}): RequestRecord => ({
  id,
  time: '2026-01-01T00:00:00Z',
  method: 'POST',
  path: '/v1/users/add',
  operation: 'users.add',
  org: 'acme',
  status: 200,
  error: null,
  ms: id,
  records: 1,
  failed: 0,
  fault: null,
  ...fields,
});

const idsOf = (requests: readonly RequestRecord[], open?: number) =>
  foldRequests(requests, open).map((group) => group.requests.map(({ id }) => id));

test('requests in a row with one outcome are folded from four on', () => {
  const same = [9, 8, 7, 6].map((id) => request(id));
  expect(idsOf(same)).toEqual([[9, 8, 7, 6]]);
  expect(idsOf(same.slice(1))).toEqual([[8], [7], [6]]);
  expect(idsOf([...same, request(5, { org: 'beta' })])).toEqual([[9, 8, 7, 6, 5]]);
});

test.each([
  { status: 503 },
  { error: 'UNAVAILABLE' },
  { operation: 'users.update' },
  { fault: 'flaky' },
])('a request with another outcome interrupts the row: %j', (fields) => {
  const requests = [9, 8, 7, 6, 5, 4, 3, 2, 1].map((id) => request(id, id === 5 ? fields : {}));
  expect(idsOf(requests)).toEqual([[9, 8, 7, 6], [5], [4, 3, 2, 1]]);
});

test('a row with the open request is not folded', () => {
  const same = [4, 3, 2, 1].map((id) => request(id));
  expect(idsOf(same, 2)).toEqual([[4], [3], [2], [1]]);
});

test('the median of durations', () => {
  expect(medianOf([900, 5, 4])).toBe(5);
  expect(medianOf([7])).toBe(7);
});

test('an operation has the name of its command', () => {
  for (const { name, command } of manifest) expect(formatOperation(name)).toBe(command.join(' '));
});
