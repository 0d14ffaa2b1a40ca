import { createServer, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { defineOperation } from '../../src/catalog/define.ts';
import type { Target } from '../../src/client/client.ts';
import { normalizeBaseUrl } from '../../src/client/target.ts';
import { version } from '../../src/kernel/version.ts';
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
} from './client-fixture.ts';

const open = defineOperation('things.call', { ...thing, auth: 'none' });

describe('a request', () => {
  it('carries only the credential headers of its operation', async () => {
    const { fetch, requests } = scriptedFetch(success());
    const { client } = newClient({ fetch, target: { ...target(), headerPrefix: 'X-Vendor-' } });
    await client.call(OPERATIONS.read, { name: 'n' });
    await client.call(readWorkspace, {});
    await client.call(open, {});
    const own = {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': `svc/${version}`,
    };
    expect(requests.map(({ headers }) => Object.fromEntries(headers))).toEqual([
      { ...own, 'x-vendor-api-key': API_KEY, 'x-vendor-auth-token': AUTH_TOKEN },
      {
        ...own,
        'x-vendor-workspace-id': WORKSPACE_ID,
        'x-vendor-workspace-auth-token': WORKSPACE_TOKEN,
      },
      own,
    ]);
  });

  it('is a POST to the path below the base URL, with only the input under data', async () => {
    const { fetch, requests } = scriptedFetch(success());
    const { client } = newClient({ fetch, target: target('https://api.example.test/base/') });
    await client.call(OPERATIONS.read, JSON.parse('{"name":"n","__proto__":1}'));
    expect([requests[0]?.method, requests[0]?.url]).toEqual([
      'POST',
      'https://api.example.test/base/v2/things',
    ]);
    expect(await requests[0]?.text()).toBe('{"data":{"name":"n","__proto__":1}}');
  });
});

describe('a missing credential', () => {
  const nobody: Target = { baseUrl: 'https://api.example.test', headerPrefix: 'x-svc-' };

  it.each([
    ['key', OPERATIONS.read, nobody, 'SVC_API_KEY'],
    [
      'key',
      OPERATIONS.read,
      { ...nobody, key: { apiKey: API_KEY, authToken: '' } },
      'SVC_AUTH_TOKEN',
    ],
    ['workspace', readWorkspace, nobody, 'SVC_WORKSPACE_ID'],
  ])(
    'of kind %s exits with 4, hints at both solutions, and sends nothing',
    async (_, operation, who, variable) => {
      const { fetch, requests } = scriptedFetch(success());
      const error = await errorOf(newClient({ fetch, target: who }).client.call(operation, {}));
      expect(error.exitCode).toBe(4);
      for (const way of ['svc login', variable, '--local']) expect(error.hint).toContain(way);
      expect(requests).toEqual([]);
    },
  );

  it('does not affect an operation without credentials', async () => {
    const { fetch } = scriptedFetch(success());
    expect(await newClient({ fetch, target: nobody }).client.call(open, {})).toMatchObject({
      sent: true,
    });
  });

  it('includes the reason if it is known', async () => {
    const { fetch } = scriptedFetch(success());
    const who = {
      ...nobody,
      missingReason: "the credentials of profile 'p' are for https://a.example.test only",
    };
    const error = await errorOf(newClient({ fetch, target: who }).client.call(OPERATIONS.read, {}));
    expect(error.message).toBe(
      `this command needs a credential, but no API key is set: ${who.missingReason}`,
    );
  });
});

describe('a rejected credential', () => {
  const sources = {
    key: { id: 'SVC_API_KEY', token: "profile 'prod' (keychain)" },
    workspace: { id: "profile 'prod'", token: "profile 'prod'" },
  };
  const refusals = [
    failure('UNAUTHENTICATED', 401),
    failure('PERMISSION_DENIED', 403),
    new Response('<h1>Unauthorized</h1>', { status: 401 }),
  ];

  it.each([
    [
      OPERATIONS.read,
      `the request used API key ${API_KEY} (from SVC_API_KEY) and an auth token from profile 'prod' (keychain); to show the settings, run svc whoami --all`,
    ],
    [
      readWorkspace,
      `the request used workspace ${WORKSPACE_ID} and its auth token, both from profile 'prod'; to show the settings, run svc whoami --all`,
    ],
    [open, 'the request was sent without a credential'],
  ])('is named with its source, but without its token', async (operation, hint) => {
    for (const refusal of refusals) {
      const { fetch } = scriptedFetch(refusal.clone());
      const error = await errorOf(
        newClient({ fetch, target: { ...target(), sources } }).client.call(operation, {}),
      );
      expect(error).toMatchObject({ exitCode: 4, hint });
    }
  });

  it('is not blamed for the page of a firewall', async () => {
    const page = '<html><head><title>Blocked by rule 7</title></head></html>';
    const { fetch } = scriptedFetch(new Response(page, { status: 403 }));
    const error = await errorOf(
      newClient({ fetch, target: { ...target(), sources } }).client.call(OPERATIONS.read, {}),
    );
    expect(error.message).toContain('(HTTP 403): "Blocked by rule 7"');
    expect(error).toMatchObject({
      exitCode: 4,
      hint: 'the response is not from the service; a firewall or proxy in front of it may block the request, so ask its operator to allow it',
    });
  });

  it('names no source for the embedded service', async () => {
    const { fetch } = scriptedFetch(failure('UNAUTHENTICATED', 401));
    const error = await errorOf(newClient({ fetch }).client.call(OPERATIONS.read, {}));
    expect(error.hint).toBe(`the request used API key ${API_KEY} and its auth token`);
  });
});

describe('a value that is not valid in a header', () => {
  it.each([
    'line\nbreak-8c1f',
    'carriage\rreturn',
    'nul\0byte-8c1f',
    'bell\u0007',
    'snow☃man',
    'emoji🔑',
    ' \t ',
  ])('%j is refused without repeating it', async (authToken) => {
    const { fetch, requests } = scriptedFetch(success());
    const { client } = newClient({
      fetch,
      target: { ...target(), key: { apiKey: API_KEY, authToken } },
    });
    const error = await errorOf(client.call(OPERATIONS.read, {}));
    expect(error.exitCode).toBe(2);
    expect(`${error.message} ${error.hint}`).not.toContain(authToken.trim() || 'never');
    expect(requests).toEqual([]);
  });

  it.each(['', 'x svc', 'x:svc-', 'x\n', 'ü-'])('rejects the prefix %j', async (headerPrefix) => {
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
  ])('accepts %s', (url) => {
    expect(normalizeBaseUrl(`${url}/`, false)).toBe(new URL(url).href.replace(/\/$/, ''));
  });

  it.each([
    'http://api.example.test',
    'http://localhost.example.test',
    'http://127.0.0.1.example.test',
    'http://10.0.0.1',
    'http://0.0.0.0',
  ])('requires --insecure-http for %s', (url) => {
    expect(() => normalizeBaseUrl(url, false)).toThrow(/in the clear/);
    expect(normalizeBaseUrl(url, true)).toBe(url);
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
  ])('rejects %j', (url) => {
    expect(() => normalizeBaseUrl(url, true)).toThrow(/base URL is invalid/);
  });

  it('does not appear in the error if it contains a password', () => {
    expect(() => normalizeBaseUrl('https://ada:hunter2@api.example.test', false)).toThrow(
      /^(?!.*hunter2)/,
    );
  });

  it('is checked before the first call', () => {
    const { fetch } = scriptedFetch(success());
    expect(() => newClient({ fetch, target: target('http://api.example.test') })).toThrow(
      /in the clear/,
    );
  });
});

describe('a redirect', () => {
  async function serve(
    seen: IncomingMessage[],
    headers: Record<string, string>,
    http: number,
  ): Promise<string> {
    const server = createServer((request, response) => {
      seen.push(request);
      response.writeHead(http, headers).end('{}');
    });
    return `http://${await listen(server)}`;
  }

  it.each([301, 302, 303, 307, 308])(
    'with HTTP %i sends no headers and no body to the other host',
    async (http) => {
      const asked: IncomingMessage[] = [];
      const other: IncomingMessage[] = [];
      const elsewhere = await serve(other, {}, 200);
      const here = await serve(asked, { location: `${elsewhere}/v2/things?secret=1` }, http);
      const { client } = newClient({ target: target(here) });
      const error = await errorOf(client.call(OPERATIONS.keyed, {}));
      expect(error).toMatchObject({ exitCode: 9, failure: 'outcome_unknown' });
      expect(error.message).toContain(
        `a redirect to ${elsewhere} (HTTP ${http}); svc does not follow redirects`,
      );
      expect([asked.length, other.length]).toEqual([1, 0]);
    },
  );
});
