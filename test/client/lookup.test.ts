import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/catalog/define.ts';
import { loadOperation, type OperationName } from '../../src/catalog/index.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import type { ClientOptions } from '../../src/client/client.ts';
import { SvcError } from '../../src/kernel/errors.ts';
import {
  errorOf,
  failure,
  json,
  networkError,
  newClient,
  type Step,
  scriptedFetch,
  success,
} from './client-fixture.ts';

const lost = networkError('ECONNRESET', { syscall: 'read' });
const exists = failure('ALREADY_EXISTS', 409, 'It exists.');
const URL_OF_HOOK = 'https://example.test/hook';

const endpoint = (uid: string, url = URL_OF_HOOK) => ({
  id: `ep_${uid}`,
  url,
  uid,
  disabled: false,
  createdAt: '2030-01-01T00:00:00.000Z',
  updatedAt: '2030-01-01T00:00:00.000Z',
});
const page = (endpoints: readonly object[], iterator?: string) =>
  success({ endpoints, done: iterator === undefined, iterator: iterator ?? null });

async function operationNamed(name: OperationName): Promise<Operation> {
  const entry = manifest.find((known) => known.name === name) ?? expect.fail();
  return loadOperation(entry.resource, name);
}

/** Calls an operation against a scripted service. */
async function run(
  name: OperationName,
  input: object,
  steps: readonly Step[],
  options: Partial<ClientOptions> = {},
) {
  const { fetch, requests } = scriptedFetch(...steps);
  const { client, clock, events } = newClient({ fetch, inputNaming: 'flags', ...options });
  const call = client.call(await operationNamed(name), input as never);
  return {
    call,
    clock,
    events,
    asked: () => requests.map(({ url }) => new URL(url).pathname.split('/').at(-1)),
    requests,
  };
}

const create = (steps: readonly Step[], input: object = { url: URL_OF_HOOK, uid: 'u1' }) =>
  run('webhooks.endpoints.create', input, steps);

describe('an endpoint created without a response', () => {
  it('is the result of the call if a lookup finds it on any page', async () => {
    const pages = [page([endpoint('x')], 'next'), page([endpoint('y'), endpoint('u1')])];
    const { call, events, asked } = await create([lost, lost, lost, ...pages]);
    expect(await call).toMatchObject({ sent: true, data: endpoint('u1'), retries: 2 });
    expect(asked()).toEqual(['create', 'create', 'create', 'get', 'get']);
    expect(events.at(-1)).toEqual({
      kind: 'settled',
      message: 'the response was lost, but the write was applied: uid u1 exists',
    });
  });

  it('comes from an earlier attempt if the service says that it exists', async () => {
    const { call, asked } = await create([lost, exists, page([endpoint('u1')])]);
    expect(await call).toMatchObject({ data: endpoint('u1'), retries: 1 });
    expect(asked()).toEqual(['create', 'create', 'get']);
  });

  it('was not created by this call if its URL differs', async () => {
    const { call } = await create([
      lost,
      exists,
      page([endpoint('u1', 'https://elsewhere.example.test')]),
    ]);
    expect(await errorOf(call)).toMatchObject({ failure: 'already_exists', message: 'It exists.' });
  });

  it('was not created if no lookup finds it, and its ID makes a retry safe', async () => {
    const { call, clock, asked } = await create([lost, lost, lost, page([endpoint('x')])]);
    const error = await errorOf(call);
    expect(error).toMatchObject({ exitCode: 8, retries: 0 });
    expect(error.message).toMatch(/; the write was not applied: uid u1 does not exist$/);
    expect(error.hint).toBe('try again with --uid u1, so that the write cannot be applied twice');
    expect(asked().slice(3)).toEqual(['get', 'get', 'get']);
    expect(clock.slept.slice(-3)).toEqual([0, 1_000, 3_000]);
  });

  it('is found by a later lookup', async () => {
    const { call } = await create([lost, lost, lost, page([]), page([endpoint('u1')])]);
    expect(await call).toMatchObject({ data: endpoint('u1') });
  });

  it.each([
    ['cannot be asked', lost],
    ['refuses', failure('PERMISSION_DENIED', 403)],
    ['answers nonsense', new Response('<html>')],
    ['never ends its pages', page([endpoint('x')], 'again')],
  ])(
    'stays unknown if the service %s, and the error names the lookup command',
    async (_, answer) => {
      const { call } = await create([lost, lost, lost, answer]);
      expect(await errorOf(call)).toMatchObject({
        exitCode: 9,
        hint: 'the write may have been applied; check with: svc webhooks endpoints list --all; to retry safely, add --uid u1',
      });
    },
  );

  it('has an ID that is generated before the first attempt and stays the same', async () => {
    const { call, requests } = await create([lost, success(endpoint('u1'))], { url: URL_OF_HOOK });
    await call;
    const bodies = await Promise.all(requests.map((request) => request.text()));
    const uids = bodies.map((body) => JSON.parse(body).data.uid);
    expect(uids[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(uids[1]).toBe(uids[0]);
  });
});

describe('a notification without a response', () => {
  const input = {
    organizationId: 'acme',
    documentId: 'd1',
    notificationId: 'n1',
    actionUser: { userId: 'ada' },
    displayHeadlineMessageTemplate: 'h',
    displayBodyMessage: 'b',
    notifyUsers: [{ userId: 'bob' }],
  };
  const dataOf = (...notifications: object[]) =>
    success({ comments: [], reactions: [], recordings: [], notifications });
  const add = (steps: readonly Step[], given: object = input) =>
    run('notifications.add', given, [lost, lost, lost, ...steps]);

  it('was sent if its receiver has it', async () => {
    const { call, requests } = await add([
      dataOf({ notificationId: 'n0' }, { notificationId: 'n1' }),
    ]);
    expect(await call).toMatchObject({ data: { success: true } });
    expect(await requests.at(-1)?.json()).toEqual({
      data: { organizationId: 'acme', userId: 'bob' },
    });
  });

  it('stays unknown if its receiver does not have it: the service may have skipped the receiver', async () => {
    const { call } = await add([dataOf()]);
    expect(await errorOf(call)).toMatchObject({
      exitCode: 9,
      hint: 'the write may have been applied; check with: svc users data --org acme --user bob --all; to retry safely, add --notification n1',
    });
  });

  it('is looked up by its actor if it names no receiver', async () => {
    const { call } = await add([lost], { ...input, notifyUsers: [] });
    expect((await errorOf(call)).hint).toContain('svc users data --org acme --user ada --all');
  });
});

/** Writes that svc cannot settle itself, and the command that each error names. */
const COMMANDS: readonly [name: OperationName, input: object, command: string][] = [
  [
    'documents.migrate',
    { organizationId: 'a b', documentId: 'd1', newDocumentId: "d'2" },
    String.raw`svc documents list --org 'a b' --document 'd'\''2' --all (if the new document exists, the migration was started)`,
  ],
  ['auth-tokens.reset', { apiKey: 'k1' }, 'svc auth-tokens list --api-key k1'],
  [
    'workspace.create',
    { ownerEmail: 'ada@example.test' },
    'svc workspace create --owner-email ada@example.test (ALREADY_EXISTS means that the workspace was created)',
  ],
  [
    'crdt.update',
    { organizationId: 'acme', documentId: 'd1', editorId: 'e1', type: 'text', data: 'x' },
    'svc crdt get --org acme --document d1 --editor e1',
  ],
  ['webhooks.config.update', { useWebhookService: true }, 'svc webhooks config get'],
  ['webhooks.advanced.update', { isEnabled: true }, 'svc webhooks advanced get'],
  ['webhooks.endpoints.delete', { endpointId: 'ep_1' }, 'svc webhooks endpoints list --all'],
  ['email.update', { useEmailService: true }, 'svc email get'],
  ['permission-provider.update', { usePermissionProvider: true }, 'svc permission-provider get'],
];

describe('a write with an unknown outcome', () => {
  it.each(COMMANDS)('%s names the lookup command', async (name, input, command) => {
    const { call } = await run(name, input, [lost]);
    expect(await errorOf(call)).toMatchObject({
      exitCode: 9,
      hint: `the write may have been applied; check with: ${command}`,
    });
  });

  it('names its own command if there is no lookup and repeating is safe', async () => {
    const input = { user: { userId: "o'neil" }, permissions: { resources: [] } };
    const { call } = await run('permissions.add', input, [lost]);
    expect((await errorOf(call)).hint).toBe(
      `the write may have been applied; repeating it is safe: svc permissions add --data '${JSON.stringify(input).replace("'", String.raw`'\''`)}'`,
    );
  });

  it('carries the command as data', async () => {
    const { call } = await run('email.update', { useEmailService: true }, [lost]);
    expect((await errorOf(call)).next).toEqual([{ kind: 'show', command: ['email', 'get'] }]);
  });

  it('keeps the status of the service and the number of retries', async () => {
    const { call } = await run('email.update', { useEmailService: true }, [
      failure('INTERNAL', 500, 'Oops.'),
    ]);
    expect(await errorOf(call)).toMatchObject({
      exitCode: 9,
      status: 'INTERNAL',
      message: 'Oops.',
      retries: 1,
    });
  });

  it('has a command for every operation except bulk operations', async () => {
    const writes = manifest.filter(({ effect, bulk }) => effect !== 'read' && bulk !== 'array');
    const named = [
      ...COMMANDS.map(([name]) => name),
      'webhooks.endpoints.create',
      'notifications.add',
    ];
    const others = ['crdt.add', 'webhooks.endpoints.update', 'permissions.add'];
    expect(writes.map(({ name }) => name).toSorted()).toEqual([...named, ...others].toSorted());
    for (const { name } of writes) {
      expect([name, (await operationNamed(name)).lookup !== undefined]).toEqual([
        name,
        name !== 'permissions.add',
      ]);
    }
  });
});

describe('Ctrl-C while a write is in flight', () => {
  it.each([
    [
      'documents.migrate',
      { organizationId: 'acme', documentId: 'd1', newDocumentId: 'd2' },
      'svc documents list',
    ],
    [
      'webhooks.endpoints.create',
      { url: URL_OF_HOOK, uid: 'u1' },
      'svc webhooks endpoints list --all',
    ],
  ] as const)(
    'ends it at once and reports the possible outcome of %s',
    async (name, input, command) => {
      const controller = new AbortController();
      const deaf = () => {
        setImmediate(() => controller.abort(new SvcError('interrupted', 'stopped by Ctrl-C')));
        return new Promise<Response>(() => undefined);
      };
      const { call } = await run(name, input, [deaf], { signal: controller.signal });
      const error = await errorOf(call);
      expect(error.exitCode).toBe(130);
      expect(error.message).toBe(
        'stopped by Ctrl-C: the request was in flight and may have been applied',
      );
      expect(error.hint).toContain(command);
    },
  );

  it('does not mention a write for a read, or before anything was sent', async () => {
    const stopped = new SvcError('interrupted', 'stopped by Ctrl-C');
    const { call } = await run('documents.migrate', {}, [json({})], {
      signal: AbortSignal.abort(stopped),
    });
    await expect(call).rejects.toBe(stopped);
    const controller = new AbortController();
    const deaf = () => {
      setImmediate(() => controller.abort(stopped));
      return new Promise<Response>(() => undefined);
    };
    const read = await run('email.get', {}, [deaf], { signal: controller.signal });
    await expect(read.call).rejects.toBe(stopped);
  });
});
