import { createServer, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { defineOperation } from '../../src/catalog/define.ts';
import type { Target } from '../../src/client/client.ts';
import { checkedBaseUrl } from '../../src/client/target.ts';
import { listen } from '../listen.ts';
import {
  API_KEY,
  AUTH_TOKEN,
  errorOf,
  failure,
  newClient,
  OPERATIONS,
  readWorkspace,
  scriptedFetch,
  success,
  target,
  thing,
  WORKSPACE_ID,
  WORKSPACE_TOKEN,
} from './world.ts';

const open = defineOperation({ ...thing, auth: 'none' });

describe('a request', () => {
  it('carries the pair of headers that its operation asks for, and no others', async () => {
    const { fetch, requests } = scriptedFetch(success());
    const { client } = newClient({ fetch, target: { ...target(), headerPrefix: 'X-Vendor-' } });
    await client.call(OPERATIONS.read, { name: 'n' });
    await client.call(readWorkspace, {});
    await client.call(open, {});
    const own = { accept: 'application/json', 'content-type': 'application/json' };
    expect(requests.map(({ headers }) => Object.fromEntries(headers))).toEqual([
      { ...own, 'x-vendor-api-key': API_KEY, 'x-vendor-auth-token': AUTH_TOKEN },
      { ...own, 'x-vendor-workspace-id': WORKSPACE_ID, 'x-vendor-workspace-auth-token': WORKSPACE_TOKEN },
      own,
    ]);
  });

  it('is a POST of the path below the base URL, with the input under data and nothing beside it', async () => {
    const { fetch, requests } = scriptedFetch(success());
    const { client } = newClient({ fetch, target: target('https://api.example.test/base/') });
    await client.call(OPERATIONS.read, JSON.parse('{"name":"n","__proto__":1}'));
    expect([requests[0]?.method, requests[0]?.url]).toEqual(['POST', 'https://api.example.test/base/v2/things']);
    expect(await requests[0]?.text()).toBe('{"data":{"name":"n","__proto__":1}}');
  });
});

describe('a missing credential', () => {
  const nobody: Target = { baseUrl: 'https://api.example.test', headerPrefix: 'x-svc-' };

  it.each([
    ['key', OPERATIONS.read, nobody, 'SVC_API_KEY'],
    ['key', OPERATIONS.read, { ...nobody, key: { apiKey: API_KEY, authToken: '' } }, 'SVC_AUTH_TOKEN'],
    ['workspace', readWorkspace, nobody, 'SVC_WORKSPACE_ID'],
  ])('of kind %s is 4 with both ways out, and nothing is sent', async (_, operation, who, variable) => {
    const { fetch, requests } = scriptedFetch(success());
    const error = await errorOf(newClient({ fetch, target: who }).client.call(operation, {}));
    expect(error.exitCode).toBe(4);
    for (const way of ['svc profiles add', variable, '--local']) expect(error.hint).toContain(way);
    expect(requests).toEqual([]);
  });

  it('is none to an operation that needs none', async () => {
    const { fetch } = scriptedFetch(success());
    expect(await newClient({ fetch, target: nobody }).client.call(open, {})).toMatchObject({ sent: true });
  });

  it('says why it is missing where that is known', async () => {
    const { fetch } = scriptedFetch(success());
    const who = { ...nobody, withheld: "the credentials of profile 'p' are for https://a.example.test only" };
    const error = await errorOf(newClient({ fetch, target: who }).client.call(OPERATIONS.read, {}));
    expect(error.message).toBe(`this needs a credential, and there is no api key: ${who.withheld}`);
  });
});

describe('a credential that is refused', () => {
  const sources = {
    key: { id: 'SVC_API_KEY', token: "profile 'prod' (keychain)" },
    workspace: { id: "profile 'prod'", token: "profile 'prod'" },
  };
  const refusals = [
    failure('UNAUTHENTICATED', 401),
    failure('PERMISSION_DENIED', 403),
    new Response('<h1>Forbidden</h1>', { status: 403 }),
  ];

  it.each([
    [
      OPERATIONS.read,
      `it was called as API key ${API_KEY} (from SVC_API_KEY) with an auth token from profile 'prod' (keychain): svc auth status shows them`,
    ],
    [
      readWorkspace,
      `it was called as workspace ${WORKSPACE_ID} with its auth token, both from profile 'prod': svc auth status shows them`,
    ],
    [open, 'it was called without a credential'],
  ])('is named with its source, and its token is not', async (operation, hint) => {
    for (const refusal of refusals) {
      const { fetch } = scriptedFetch(refusal.clone());
      const error = await errorOf(newClient({ fetch, target: { ...target(), sources } }).client.call(operation, {}));
      expect(error).toMatchObject({ exitCode: 4, hint });
    }
  });

  it('of the embedded service has no source', async () => {
    const { fetch } = scriptedFetch(failure('UNAUTHENTICATED', 401));
    const error = await errorOf(newClient({ fetch }).client.call(OPERATIONS.read, {}));
    expect(error.hint).toBe(`it was called as API key ${API_KEY} with its auth token`);
  });
});

describe('a value that no header can carry', () => {
  it.each(['line\nbreak-8c1f', 'carriage\rreturn', 'nul\0byte-8c1f', 'bell\u0007', 'snow☃man', 'emoji🔑', ' \t '])(
    '%j is refused without repeating it',
    async (authToken) => {
      const { fetch, requests } = scriptedFetch(success());
      const { client } = newClient({ fetch, target: { ...target(), key: { apiKey: API_KEY, authToken } } });
      const error = await errorOf(client.call(OPERATIONS.read, {}));
      expect(error.exitCode).toBe(2);
      expect(`${error.message} ${error.hint}`).not.toContain(authToken.trim() || 'never');
      expect(requests).toEqual([]);
    },
  );

  it.each(['', 'x svc', 'x:svc-', 'x\n', 'ü-'])('prefix %j is refused', async (headerPrefix) => {
    const { fetch } = scriptedFetch(success());
    const { client } = newClient({ fetch, target: { ...target(), headerPrefix } });
    expect((await errorOf(client.call(OPERATIONS.read, {}))).exitCode).toBe(2);
  });
});

describe('the base URL', () => {
  it.each([
    'http://localhost:8080',
    'http://127.0.0.1:1',
    'http://127.9.9.9',
    'http://[::1]:80/x',
    'http://svc.localhost',
    'https://api.example.test',
  ])('%s is fine', (url) => {
    expect(checkedBaseUrl(`${url}/`, false)).toBe(new URL(url).href.replace(/\/$/, ''));
  });

  it.each([
    'http://api.example.test',
    'http://localhost.example.test',
    'http://127.0.0.1.example.test',
    'http://10.0.0.1',
    'http://0.0.0.0',
  ])('%s needs --insecure-http', (url) => {
    expect(() => checkedBaseUrl(url, false)).toThrow(/in the clear/);
    expect(checkedBaseUrl(url, true)).toBe(url);
  });

  it.each([
    '',
    'api.example.test',
    'ftp://a',
    'file:///etc/passwd',
    'https://',
    'https://a?x=1',
    'https://a#b',
    'javascript:1',
  ])('%j is refused', (url) => {
    expect(() => checkedBaseUrl(url, true)).toThrow(/base URL is not usable/);
  });

  it('is not repeated when it holds a password', () => {
    expect(() => checkedBaseUrl('https://ada:hunter2@api.example.test', false)).toThrow(/^(?!.*hunter2)/);
  });

  it('is checked before anything else', () => {
    const { fetch } = scriptedFetch(success());
    expect(() => newClient({ fetch, target: target('http://api.example.test') })).toThrow(/in the clear/);
  });
});

describe('a redirect', () => {
  async function serve(seen: IncomingMessage[], headers: Record<string, string>, http: number): Promise<string> {
    const server = createServer((request, response) => {
      seen.push(request);
      response.writeHead(http, headers).end('{}');
    });
    return `http://${await listen(server)}`;
  }

  it.each([301, 302, 303, 307, 308])('with HTTP %i takes no header and no body to the other host', async (http) => {
    const asked: IncomingMessage[] = [];
    const other: IncomingMessage[] = [];
    const elsewhere = await serve(other, {}, 200);
    const here = await serve(asked, { location: `${elsewhere}/v2/things?secret=1` }, http);
    const { client } = newClient({ target: target(here) });
    const error = await errorOf(client.call(OPERATIONS.keyed, {}));
    expect(error).toMatchObject({ exitCode: 8, failure: 'unusable_answer' });
    expect(error.message).toContain(`a redirect to ${elsewhere} (HTTP ${http}); redirects are not followed`);
    expect([asked.length, other.length]).toEqual([1, 0]);
  });
});
