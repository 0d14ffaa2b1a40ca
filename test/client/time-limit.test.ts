import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ResponseBody } from '../../src/client/response-body.ts';
import { SvcError } from '../../src/kernel/errors.ts';
import { errorOf, newClient, OPERATIONS, target } from './client-fixture.ts';

let server: Server;
let baseUrl: string;
let answer: (response: ServerResponse) => void;
let closed: Promise<unknown>;

beforeAll(async () => {
  server = createServer((request, response) => {
    closed = new Promise((resolve) => request.socket.on('close', resolve));
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const NEVER = () => undefined;
const HALF = (response: ServerResponse) => void response.writeHead(200).write('{"result":');

describe('the time of an attempt', () => {
  it.each([
    ['the headers', NEVER],
    ['the body', HALF],
  ])('covers %s, and the connection is closed', async (_, behaviour) => {
    answer = behaviour;
    const { client } = newClient({ target: target(baseUrl), attemptTimeout: 60 });
    const error = await errorOf(client.call(OPERATIONS.once, {}));
    expect(error).toMatchObject({
      failure: 'outcome_unknown',
      message: expect.stringContaining('no response within 0.06 s'),
    });
    await closed;
  });

  it('makes a read unreachable after three attempts', async () => {
    answer = NEVER;
    const { client, events } = newClient({ target: target(baseUrl), attemptTimeout: 40 });
    expect((await errorOf(client.call(OPERATIONS.read, {}))).failure).toBe('unreachable');
    expect(events.filter(({ kind }) => kind === 'request')).toHaveLength(3);
  });

  it('can exceed the longest timer', async () => {
    answer = (response) => response.end('{"result":{"status":"success","data":{"id":"a"}}}');
    const { client } = newClient({ target: target(baseUrl), attemptTimeout: 1e12 });
    expect(await client.call(OPERATIONS.read, {})).toMatchObject({ sent: true });
  });
});

describe('Ctrl-C', () => {
  const interrupted = new Error('stopped by a test');

  it.each([
    ['before the answer', NEVER],
    ['in the middle of it', HALF],
  ])('%s ends the call at once with its reason, without a retry', async (_, behaviour) => {
    const controller = new AbortController();
    answer = (response) => {
      behaviour(response);
      setImmediate(() => controller.abort(interrupted));
    };
    const { client, events } = newClient({ target: target(baseUrl), signal: controller.signal });
    await expect(client.call(OPERATIONS.read, {})).rejects.toBe(interrupted);
    expect(events.filter(({ kind }) => kind === 'request')).toHaveLength(1);
    await closed;
  });

  it('ends a call to a service that ignores signals', async () => {
    const controller = new AbortController();
    const deaf = () => {
      setImmediate(() => controller.abort(interrupted));
      return new Promise<Response>(NEVER);
    };
    const { client } = newClient({ fetch: deaf, signal: controller.signal });
    await expect(client.call(OPERATIONS.once, {})).rejects.toBe(interrupted);
  });

  it('before the call sends nothing', async () => {
    const { client, events } = newClient({ signal: AbortSignal.abort(interrupted) });
    await expect(client.call(OPERATIONS.read, {})).rejects.toBe(interrupted);
    expect(events.filter(({ kind }) => kind === 'response')).toEqual([]);
  });
});

describe('an error of the embedded service', () => {
  it('is passed through unchanged', async () => {
    const disk = new SvcError('local', 'the disk is full');
    const { client } = newClient({ fetch: async () => Promise.reject(disk) });
    await expect(client.call(OPERATIONS.keyed, {})).rejects.toBe(disk);
  });
});

describe('the size of a response', () => {
  it('is limited to the byte, and the rest is not read', async () => {
    let pulled = 0;
    let cancelled = false;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(Buffer.alloc(1024, 'x'));
      },
      cancel() {
        cancelled = true;
      },
    });
    const body = new ResponseBody(undefined, 1024 * 1024);
    await body.read(endless);
    expect(await body.text()).toEqual({ flaw: 'more than 1 MB' });
    expect(pulled).toBeLessThan(1024 + 10);
    expect(cancelled).toBe(true);
    const most = new ResponseBody(undefined, 1024 * 1024);
    expect(most.add(Buffer.alloc(1024 * 1024, 'x'))).toBe(true);
    expect(await most.text()).toEqual({ text: 'x'.repeat(1024 * 1024) });
  });
});
