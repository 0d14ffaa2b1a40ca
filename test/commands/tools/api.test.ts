import { describe, expect, it } from 'vitest';
import { apiCommand } from '../../../src/commands/tools/api.ts';
import {
  API_KEY,
  AUTH_TOKEN,
  failure,
  json,
  type Step,
  success,
  WORKSPACE_ID,
} from '../../client/client-fixture.ts';
import { type ToolWorld, toolContext } from './world.ts';

type Options = Parameters<typeof apiCommand>[1]['options'];

async function api(
  path: string,
  steps: readonly Step[],
  options: Options = {},
  world: ToolWorld = {},
) {
  const tool = await toolContext(steps, {
    ...world,
    options: { output: 'json', ...world.options },
  });
  await apiCommand(tool.context, { arguments: [path], options });
  return {
    ...tool,
    printed: tool.context.stdout() === '' ? undefined : JSON.parse(tool.context.stdout()),
  };
}

const NEW = '/v9/new/thing';
const page = (data: unknown, beside: object = {}) =>
  json({ result: { status: 'success', message: 'ok', data, ...beside } });

describe('the request', () => {
  it.each([
    { given: undefined, sent: {} },
    { given: '{"organizationId":"acme"}', sent: { organizationId: 'acme' } },
    { given: '{"data":{"organizationId":"acme"}}', sent: { organizationId: 'acme' } },
    { given: '{"data":{"a":1},"editorId":"e1"}', sent: { data: { a: 1 }, editorId: 'e1' } },
    { given: '[1]', sent: [1] },
    { given: '"text"', sent: 'text' },
    { given: 'null', sent: null },
  ])('wraps $given into data once', async ({ given, sent }) => {
    const { bodies } = await api(NEW, [success()], { data: given });
    expect(await bodies()).toEqual([{ data: sent }]);
  });

  it('takes its body from stdin', async () => {
    const { bodies } = await api(NEW, [success()], { data: '-' }, { stdin: '{"a":1}' });
    expect(await bodies()).toEqual([{ data: { a: 1 } }]);
  });

  const credentials = (headers: Headers | undefined) =>
    [...(headers ?? [])].filter(([name]) => name.startsWith('x-svc-'));
  const key = [
    ['x-svc-api-key', API_KEY],
    ['x-svc-auth-token', AUTH_TOKEN],
  ];

  it.each<{ path: string; options: Options; sent: string[][] }>([
    { path: NEW, options: {}, sent: key },
    { path: NEW, options: { auth: 'none' }, sent: [] },
    { path: '/v2/agents/get', options: {}, sent: key },
    { path: '/v2/workspace/create', options: {}, sent: [] },
    { path: '/v2/workspace/create', options: { auth: 'key' }, sent: key },
  ])('has the credentials of $path with $options', async ({ path, options, sent }) => {
    const { requests } = await api(path, [success()], options);
    expect(credentials(requests[0]?.headers)).toEqual(sent);
  });

  it('has workspace credentials on workspace paths', async () => {
    for (const [path, options] of [
      ['/v2/workspace/get', {}] as const,
      [NEW, { auth: 'workspace' }] as const,
    ]) {
      const { requests } = await api(path, [success()], options);
      expect(requests[0]?.headers.get('x-svc-workspace-id')).toBe(WORKSPACE_ID);
      expect(requests[0]?.headers.has('x-svc-api-key')).toBe(false);
    }
  });

  it('is only sent to a path of the configured service', async () => {
    const { requests } = await api('v9/new/thing?deep=1', [success()]);
    expect(requests[0]?.url).toBe('https://api.example.test/v9/new/thing?deep=1');
    for (const path of ['https://evil.example/v2', 'x:y', '', '/a b', '/a\n', '\\\\evil', '/a#b']) {
      await expect(api(path, [success()])).rejects.toMatchObject({ failure: 'usage' });
    }
  });

  it.each([
    ['{', "--data:1:2: unexpected end of the text, expected a field name or '}'"],
    ['', '--data:1:1: unexpected end of the text, expected a value'],
    ['undefined', "--data:1:1: expected a value, found 'undefined'"],
    ['{"a":1,\n"a":2}', "--data:2:1: the field 'a' occurs twice in an object"],
  ])('is not sent if the body is not JSON: %j', async (data, message) => {
    await expect(api(NEW, [success()], { data })).rejects.toMatchObject({
      failure: 'invalid_input',
      message,
    });
  });

  it('is not sent if the body has a flood of values', async () => {
    const data = `[${'{},'.repeat(700_000)}{}]`;
    await expect(api(NEW, [success()], { data })).rejects.toMatchObject({
      failure: 'invalid_input',
      message: '--data: more than 2 million values',
    });
  });

  it('is planned in a dry run, and not sent', async () => {
    const planned: unknown[] = [];
    const { requests, printed } = await api(
      NEW,
      [success()],
      { data: '{"a":1}' },
      { dryRun: async ({ url, body }) => void planned.push([url, body]) },
    );
    expect([planned, requests.length, printed]).toEqual([
      [['https://api.example.test/v9/new/thing', { data: { a: 1 } }]],
      0,
      undefined,
    ]);
  });

  it('is retried only if the catalog allows it', async () => {
    const down = failure('UNAVAILABLE', 503);
    const { requests } = await api('/v2/agents/get', [down, success()]);
    expect(requests).toHaveLength(2);
    await expect(api(NEW, [down, success()])).rejects.toMatchObject({ failure: 'outcome_unknown' });
    await expect(
      api('/v2/organizations/documents/migrate', [down, success()]),
    ).rejects.toMatchObject({
      failure: 'outcome_unknown',
    });
  });
});

describe('a write without a response', () => {
  const lost = failure('UNAVAILABLE', 503);
  const CREATE = '/v2/workspace/advancedwebhook/endpoints/create';
  const ADD = '/v2/activities/add';

  it.each([
    [CREATE, { url: 'https://example.test' }, 1],
    [CREATE, { url: 'https://example.test', uid: 'u1' }, 3],
    [ADD, { organizationId: 'a', documentId: 'd', activities: [{ id: '1' }, {}] }, 1],
    [ADD, { organizationId: 'a', documentId: 'd', activities: [{ id: '1' }] }, 3],
    ['/v2/notifications/add', { organizationId: 'a' }, 1],
    ['/v2/organizations/add', { organizations: [{ organizationId: 'a' }] }, 3],
    ['/v2/workspace/create', { ownerEmail: 'ada@example.test' }, 1],
  ])('to %s with %j is sent %i times: never again without an ID', async (path, data, sent) => {
    const { context, requests } = await toolContext([lost]);
    const thrown = await apiCommand(context, {
      arguments: [path],
      options: { data: JSON.stringify(data) },
    }).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ failure: 'outcome_unknown' });
    expect(requests.filter(({ url }) => url.endsWith(path))).toHaveLength(sent);
  });
});

describe('the result', () => {
  it('is the data, or the whole envelope with --envelope', async () => {
    const answer = page({ id: 'a' }, { extra: 1 });
    expect((await api(NEW, [answer])).printed).toEqual({ id: 'a' });
    expect((await api(NEW, [answer], {}, { options: { envelope: true } })).printed).toEqual({
      status: 'success',
      message: 'ok',
      data: { id: 'a' },
      extra: 1,
    });
  });

  it.each([{ id: 'a' }, [1, 2], {}, 'text', 7])(
    'can come without an envelope: %j',
    async (body) => {
      expect((await api(NEW, [json(body)])).printed).toEqual(body);
    },
  );

  it('of a known path may differ from the catalog', async () => {
    expect(
      (await api('/v2/organizations/documents/get', [success({ odd: true })])).printed,
    ).toEqual({ odd: true });
  });

  it('is a table by default', async () => {
    const { context } = await toolContext([success([{ id: 'a', n: 1 }])]);
    await apiCommand(context, { arguments: [NEW], options: {} });
    expect(context.stdout()).toBe('ID  N\na   1\n');
  });

  it('has masked secrets, by the catalog or by field names', async () => {
    const token = 'a-secret-of-thirty-characters!';
    const workspace = { id: 'w1', authToken: token, apiKeyList: {} };
    expect((await api('/v2/workspace/get', [success(workspace)])).printed.authToken).toBe(
      '****ers!',
    );
    const named = {
      id: 'a',
      authToken: token,
      inner: [{ token, secret: token, workspaceAuthToken: token, text: 'ok' }],
    };
    expect((await api(NEW, [success(named)])).printed).toEqual({
      id: 'a',
      authToken: '****ers!',
      inner: [
        { token: '****ers!', secret: '****ers!', workspaceAuthToken: '****ers!', text: 'ok' },
      ],
    });
    const shown = { options: { showSecrets: true } };
    expect((await api(NEW, [success(named)], {}, shown)).printed).toEqual(named);
    const envelope = await api(NEW, [success(named)], {}, { options: { envelope: true } });
    expect(envelope.context.stdout()).not.toContain(token);
  });

  it('of a call that returns a secret shows it', async () => {
    const data = { endpointId: 'ep_1', secret: 'whsec_of-thirty-characters-00000' };
    const path = '/v2/workspace/advancedwebhook/endpoints/secret/get';
    expect((await api(path, [success(data)])).printed).toEqual(data);
  });
});

describe('pages', () => {
  const data = '{"organizationId":"acme"}';

  it('are merged into one list, with guessed token names', async () => {
    const steps = [
      page([1], { nextPageToken: 'two' }),
      page([2], { pageToken: 'three' }),
      page([3], { pageToken: null }),
    ];
    const { printed, bodies } = await api(NEW, steps, { data, paginate: true });
    expect(printed).toEqual([1, 2, 3]);
    expect((await bodies()).map((body) => body.data)).toEqual([
      { organizationId: 'acme' },
      { organizationId: 'acme', pageToken: 'two' },
      { organizationId: 'acme', pageToken: 'three' },
    ]);
  });

  it('are merged into one object, with an iterator inside', async () => {
    const steps = [
      page({ things: [1], iterator: 'i1', done: false }),
      page({ things: [2], iterator: 'i2', done: true }),
      page({ things: [3], iterator: null, done: true }),
    ];
    const { printed, bodies } = await api(NEW, steps, { paginate: true });
    expect(printed).toEqual({ things: [1, 2], iterator: 'i2', done: true });
    expect((await bodies()).at(-1)).toEqual({ data: { iterator: 'i1' } });
  });

  it('follow the catalog on a known path', async () => {
    const steps = [
      page([{ id: 'a' }], { pageToken: 't', nextPageToken: 'no' }),
      page([{ id: 'b' }]),
    ];
    const { printed, bodies } = await api('/v2/organizations/documents/get', steps, {
      data,
      paginate: true,
    });
    expect(printed).toEqual([{ id: 'a' }, { id: 'b' }]);
    expect((await bodies()).at(-1)).toEqual({ data: { organizationId: 'acme', pageToken: 't' } });
  });

  it('that never end are an error', async () => {
    const endless = api(NEW, [page([1], { pageToken: 'again' })], { paginate: true });
    await expect(endless).rejects.toMatchObject({ failure: 'invalid_response' });
  });

  it('have masked secrets on each page', async () => {
    const steps = [page([{ token: 'one' }], { pageToken: 't' }), page([{ token: 'two' }])];
    expect((await api(NEW, steps, { paginate: true })).printed).toEqual([
      { token: '****' },
      { token: '****' },
    ]);
  });

  it('after the first are only announced without --paginate', async () => {
    const { printed, context, requests } = await api(NEW, [page([1], { pageToken: 't' })]);
    expect([printed, requests.length, context.stderr()]).toEqual([
      [1],
      1,
      'more pages are available: add --paginate\n',
    ]);
  });

  it('need an object as data', async () => {
    const run = api(NEW, [page([1])], { data: '[1]', paginate: true });
    await expect(run).rejects.toMatchObject({ failure: 'usage' });
  });

  it('that are neither lists nor objects are printed separately', async () => {
    const { context } = await toolContext([page('one', { pageToken: 't' }), page('two')]);
    await apiCommand(context, { arguments: [NEW], options: { paginate: true } });
    expect(context.stdout()).toBe('one\ntwo\n');
  });
});
