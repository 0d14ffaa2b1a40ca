import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/catalog/define.ts';
import { documents } from '../../src/catalog/documents.ts';
import { webhookEndpoints } from '../../src/catalog/webhook-endpoints.ts';
import { fetchPages } from '../../src/client/pages.ts';
import { json, newClient, scriptedFetch } from './client-fixture.ts';

const LIST = documents['documents.list'];
const ENDPOINTS = webhookEndpoints['webhooks.endpoints.list'];

/** One page of documents, with the token of the next page or without the field. */
const page = (token?: unknown) =>
  json({
    result: {
      status: 'success',
      message: 'ok',
      data: [{ id: 'd' }],
      ...(token !== undefined && { pageToken: token }),
    },
  });

/** Follows the pages to the end. Returns their number, the tokens, and the error. */
async function follow(operation: Operation, ...answers: readonly Response[]) {
  const { fetch, requests } = scriptedFetch(...answers);
  const { client } = newClient({ fetch });
  let count = 0;
  let error: unknown;
  try {
    for await (const _ of fetchPages(client, operation, { organizationId: 'acme' })) count += 1;
  } catch (thrown) {
    error = thrown;
  }
  const asked = await Promise.all(
    requests.map(async (request) => Object(await request.json()).data),
  );
  return { count, error, asked: asked.map((data) => data.pageToken ?? data.iterator) };
}

describe('the pages of a list', () => {
  it.each([undefined, null, ''])('end with the token %j', async (end) => {
    const followed = await follow(LIST, page('a'), page('b'), page(end));
    expect(followed).toEqual({ count: 3, error: undefined, asked: [undefined, 'a', 'b'] });
  });

  it.each([[{}], [[1]], true])('are unusable with the token %j', async (token) => {
    const { count, error } = await follow(LIST, page('a'), page(token));
    const message = '/v2/organizations/documents/get returned an invalid page cursor';
    expect([count, error]).toMatchObject([1, { failure: 'invalid_response', message }]);
  });

  it('end with done, whatever the iterator contains', async () => {
    const of = (iterator: string | null, done: boolean) =>
      json({
        result: { status: 'success', message: 'ok', data: { endpoints: [], iterator, done } },
      });
    const followed = await follow(ENDPOINTS, of('a', false), of('b', true));
    expect(followed).toEqual({ count: 2, error: undefined, asked: [undefined, 'a'] });
  });

  it.each([
    ['a null iterator', { iterator: null, done: false }],
    ['an empty iterator', { iterator: '', done: false }],
    ['no iterator', { done: false }],
    ['a null iterator, and nothing of done', { iterator: null }],
  ])('are unusable if there are more pages but no cursor: %s', async (_, fields) => {
    const data = { endpoints: [], ...fields };
    const followed = await follow(
      ENDPOINTS,
      json({ result: { status: 'success', message: 'ok', data } }),
    );
    expect(followed).toMatchObject({ count: 0, error: { failure: 'invalid_response' } });
  });

  it.each([undefined, null])('end after a success with data %j', async (data) => {
    const followed = await follow(
      ENDPOINTS,
      json({ result: { status: 'success', message: 'ok', data } }),
    );
    expect(followed).toMatchObject({ count: 1, error: undefined });
  });

  it.each([
    { name: 'the same token again', answers: [page('a')], count: 2 },
    { name: 'a circle of three', answers: [page('a'), page('b'), page('c'), page('a')], count: 4 },
  ])('that never end exit with 8 once a cursor repeats: $name', async ({ answers, count }) => {
    const followed = await follow(LIST, ...answers);
    expect(followed.count).toBe(count);
    expect(followed.error).toMatchObject({
      failure: 'invalid_response',
      message: '/v2/organizations/documents/get returned the same page cursor twice',
    });
  });
});
