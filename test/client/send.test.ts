import { describe, expect, it } from 'vitest';
import type { CalledOperation, PlannedRequest } from '../../src/client/client.ts';
import { failure, fakeClock, json, newClient, scriptedFetch, success } from './client-fixture.ts';

const once: CalledOperation = { path: '/v9/any/thing', auth: 'key', effect: 'once' };

describe('a call to a path outside the catalog', () => {
  it.each([
    {
      of: 'an envelope',
      body: { result: { status: 'success', message: 'ok', data: [1] } },
      data: [1],
    },
    {
      of: 'an envelope without data',
      body: { result: { status: 'success', message: 'ok' } },
      data: null,
    },
    { of: 'a result that is the data', body: { result: { id: 'a' } }, data: { id: 'a' } },
    { of: 'a result that is not an object', body: { result: 'done' }, data: 'done' },
    {
      of: 'a result without its wrapper',
      body: { status: 'success', message: 'ok', data: 1 },
      data: 1,
    },
    { of: 'a bare object', body: { id: 'a' }, data: { id: 'a' } },
    { of: 'an empty object', body: {}, data: {} },
    { of: 'a bare list', body: [], data: [] },
    { of: 'a bare text', body: 'ok', data: 'ok' },
    { of: 'null', body: null, data: null },
  ])('accepts $of as a success', async ({ body, data }) => {
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
  ])('still detects a failure: $kind', async ({ answer, kind }) => {
    const { client } = newClient({ fetch: scriptedFetch(answer).fetch });
    await expect(client.send(once, {})).rejects.toMatchObject({ failure: kind });
  });

  it('is not retried', async () => {
    const { fetch, requests } = scriptedFetch(failure('UNAVAILABLE', 503));
    const { client } = newClient({ fetch });
    await expect(client.send(once, {})).rejects.toMatchObject({ failure: 'outcome_unknown' });
    expect(requests).toHaveLength(1);
  });
});

describe('data that is already JSON text', () => {
  const keyed: CalledOperation = { path: '/v9/any/thing', auth: 'key', effect: 'keyed' };
  const text = '{ "b":[1,  2],"__proto__":{} , "n":12345678901234567890}';

  it('counts no waiting without a pause, although the clock runs in fractions of milliseconds', async () => {
    const { fetch } = scriptedFetch(json({}));
    let time = 0;
    const monotonic = () => {
      time += 0.001;
      return time;
    };
    const { client } = newClient({ fetch, clock: { ...fakeClock(), monotonic } });
    expect(await client.sendText(keyed, text)).toMatchObject({ waits: 0, waited: 0 });
  });

  it('is sent unchanged, and parsed only for display', async () => {
    const { fetch, requests } = scriptedFetch(json({}));
    const { client, events } = newClient({ fetch });
    expect(await client.sendText(keyed, text)).toMatchObject({
      sent: true,
      data: {},
      retries: 0,
      waits: 0,
      waited: 0,
    });
    expect(await requests[0]?.text()).toBe(`{"data":${text}}`);
    expect(events[0]).toMatchObject({ request: { body: { data: { b: [1, 2] } } } });
  });

  it('supports dry runs', async () => {
    const planned: PlannedRequest[] = [];
    const { client } = newClient({
      fetch: scriptedFetch().fetch,
      dryRun: async (request) => void planned.push(request),
    });
    expect(await client.sendText(keyed, '[1]')).toEqual({ sent: false });
    expect(planned).toMatchObject([
      { body: { data: [1] }, headers: { 'x-svc-auth-token': expect.stringMatching(/^\*/) } },
    ]);
  });
});

describe('the statistics of a call', () => {
  const keyed: CalledOperation = { path: '/v9/any/thing', auth: 'key', effect: 'keyed' };

  it('count the waits for rate limits and their duration', async () => {
    const limited = failure('RESOURCE_EXHAUSTED', 429, 'slow down', { 'retry-after': '8' });
    const { client } = newClient({
      fetch: scriptedFetch(limited, limited, json({})).fetch,
      random: () => 0,
    });
    expect(await client.send(keyed, {})).toMatchObject({ retries: 2, waits: 2, waited: 16_000 });
    expect(await client.send(keyed, {})).toMatchObject({ retries: 0, waits: 0, waited: 0 });
  });
});

describe('a batch with IDs', () => {
  const keyed: CalledOperation = { path: '/v9/any/thing', auth: 'key', effect: 'keyed', bulk: {} };
  const data = { b: { success: true }, a: { success: true, message: 'ok' } };

  it.each([
    { ids: ['b', 'a'], answer: success(data), confirmed: true },
    { ids: ['a', 'b'], answer: success(data), confirmed: false },
    {
      ids: ['b', 'a'],
      answer: json({ result: { status: 'success', data } }, 201),
      confirmed: false,
    },
    { ids: undefined, answer: success(data), confirmed: false },
  ])(
    'is confirmed without parsing if the response has the typical form: $confirmed',
    async ({ ids, answer, confirmed }) => {
      const { client } = newClient({ fetch: scriptedFetch(answer).fetch });
      const result = confirmed ? { data: null } : { data, result: { status: 'success' } };
      expect(await client.sendText(keyed, '{}', ids)).toMatchObject({ confirmed, ...result });
    },
  );

  it('is not confirmed by a failure', async () => {
    const text = await success(data).text();
    const { client } = newClient({
      fetch: scriptedFetch(new Response(text, { status: 400 })).fetch,
    });
    await expect(client.sendText(keyed, '{}', ['b', 'a'])).rejects.toMatchObject({
      failure: 'outcome_unknown',
    });
  });
});
