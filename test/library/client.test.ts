import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../src/library/client.ts';
import { createService } from '../../src/library/service.ts';

describe('a call of the client', () => {
  const bodies: unknown[] = [];
  const client = createClient({
    baseUrl: 'https://api.example.test',
    apiKey: 'k',
    authToken: 'token-1234',
    fetch: async (input, init) => {
      bodies.push(await new Request(input, init).json());
      const data = { u1: { success: true, message: 'User added.' } };
      return Response.json({ result: { status: 'success', message: 'ok', data } });
    },
  });

  it.each([
    ['role', 'viewer'],
    ['org', 'beta'],
    ['folder', { id: 'f1' }],
  ])('is refused with a field that probably means another: %s', async (field, value) => {
    const input = { organizationId: 'acme', users: [{ userId: 'u1', [field]: value }] };
    await expect(client.call('users.add.v2', input)).rejects.toMatchObject({
      failure: 'invalid_input',
      hint: expect.stringContaining(`add keep: ["${field}"]`),
    });
    expect(bodies).toEqual([]);
    await client.call('users.add.v2', input, { keep: [field] });
    expect(bodies.splice(0)).toEqual([{ data: input }]);
  });

  it('is refused with a misspelled operation, and names the one that was probably meant', async () => {
    await expect(client.call('users.ad' as 'users.add', {} as never)).rejects.toMatchObject({
      failure: 'usage',
      message: "unknown operation 'users.ad'; did you mean 'users.add'?",
    });
    expect(bodies).toEqual([]);
  });

  it.each([
    [
      { organizationId: 'acme', user: [{ userId: 'u1' }] },
      "did you mean 'users' instead of 'user'?",
    ],
    [
      { organizationId: 'acme', users: [{ userID: 'u1' }] },
      "did you mean 'userId' instead of 'userID'?",
    ],
    [{ organizationId: 'acme' }, undefined],
  ])(
    'that the service rejects names the field that was probably meant: %j',
    async (input, hint) => {
      const service = await createService();
      onTestFinished(() => service.close());
      await expect(
        createClient(service.client).call('users.add', input as never),
      ).rejects.toMatchObject({ name: 'ServiceError', failure: 'invalid_argument', hint });
    },
  );

  it('may contain a job title as role', async () => {
    const users = [{ userId: 'u1', role: 'Engineer' }];
    await client.call('users.add.v2', { organizationId: 'acme', users });
    expect(bodies.splice(0)).toHaveLength(1);
  });
});

it.each([
  [{ baseURL: 'https://api.example.test' }, "unknown setting 'baseURL'; did you mean 'baseUrl'?"],
  [{}, 'baseUrl is required'],
  [{ baseUrl: 5 }, 'baseUrl must be a string, got 5'],
  [
    { baseUrl: 'https://api.example.test', timeout: '5s' },
    'timeout must be a number of milliseconds, got a string',
  ],
  [
    { baseUrl: 'https://api.example.test', maxWait: -1 },
    'maxWait must be a number of milliseconds, got -1',
  ],
  [{ baseUrl: 'https://api.example.test', authToken: 5 }, 'authToken must be a string, got 5'],
  [{ baseUrl: 'https://api.example.test', apiKey: null }, 'apiKey must be a string, got null'],
  [
    { baseUrl: 'https://api.example.test', readOnly: 'yes' },
    'readOnly must be true or false, got a string',
  ],
])('a client needs its settings: %j', (settings, message) => {
  expect(() => createClient(settings as never)).toThrow(message);
});

it('a client for plain HTTP names the setting that allows it', () => {
  expect(() => createClient({ baseUrl: 'http://api.example.test' })).toThrow(
    expect.objectContaining({
      hint: 'use an https:// URL, or set insecureHttp: true on a network you trust',
    }),
  );
});

it.each([
  [{ store: 5 }, 'store must be a path or a URL, got 5'],
  [{ store: '' }, 'store must be a path or a URL, got an empty string'],
  [{ stor: 'a.sqlite' }, "unknown setting 'stor'; did you mean 'store'?"],
  [{ strict: 'no' }, 'strict must be true or false, got a string'],
])('a service needs its settings: %j', async (settings, message) => {
  await expect(createService(settings as never)).rejects.toThrow(message);
});
