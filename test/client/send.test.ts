import { describe, expect, it } from 'vitest';
import type { CalledOperation } from '../../src/client/client.ts';
import { failure, json, newClient, scriptedFetch } from './world.ts';

const once: CalledOperation = { path: '/v9/any/thing', auth: 'key', effect: 'once' };

describe('a call to a path that the catalog does not know', () => {
  it.each([
    { of: 'an envelope', body: { result: { status: 'success', message: 'ok', data: [1] } }, data: [1] },
    { of: 'an envelope without data', body: { result: { status: 'success', message: 'ok' } }, data: null },
    { of: 'a result that is the data', body: { result: { id: 'a' } }, data: { id: 'a' } },
    { of: 'a result that is no object', body: { result: 'done' }, data: 'done' },
    { of: 'a result without its wrapper', body: { status: 'success', message: 'ok', data: 1 }, data: 1 },
    { of: 'a bare object', body: { id: 'a' }, data: { id: 'a' } },
    { of: 'an empty object', body: {}, data: {} },
    { of: 'a bare list', body: [], data: [] },
    { of: 'a bare text', body: 'ok', data: 'ok' },
    { of: 'null', body: null, data: null },
  ])('takes $of for a success', async ({ body, data }) => {
    const { client } = newClient({ fetch: scriptedFetch(json(body)).fetch });
    expect(await client.send(once, {})).toMatchObject({ sent: true, data });
  });

  it.each([[1, 2], 'text', null, { data: 'inner' }])('sends any JSON: %j', async (data) => {
    const { fetch, requests } = scriptedFetch(json({}));
    const { client } = newClient({ fetch });
    await client.send(once, data);
    expect(requests[0]?.url).toBe('https://api.example.test/v9/any/thing');
    expect(await requests[0]?.json()).toEqual({ data });
  });

  it.each([
    { answer: json({ error: { status: 'NOT_FOUND', message: 'gone' } }), kind: 'not_found' },
    { answer: json({ result: { status: 'NOT_FOUND', message: 'gone' } }), kind: 'not_found' },
    { answer: json({ id: 'a' }, 500), kind: 'outcome_unknown' },
    { answer: new Response('<html>'), kind: 'outcome_unknown' },
  ])('still knows a failure: $kind', async ({ answer, kind }) => {
    const { client } = newClient({ fetch: scriptedFetch(answer).fetch });
    await expect(client.send(once, {})).rejects.toMatchObject({ failure: kind });
  });

  it('is not sent a second time', async () => {
    const { fetch, requests } = scriptedFetch(failure('UNAVAILABLE', 503));
    const { client } = newClient({ fetch });
    await expect(client.send(once, {})).rejects.toMatchObject({ failure: 'outcome_unknown' });
    expect(requests).toHaveLength(1);
  });
});
