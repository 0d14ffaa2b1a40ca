import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { version } from '../../src/kernel/version.ts';
import { eventually } from '../eventually.ts';
import { listen } from '../listen.ts';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';
import { startServing } from './serving.ts';
import { newUser } from './svc.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = { TRACEPARENT: `00-${TRACE}-00f067aa0ba902b7-01`, TRACESTATE: 'a=1,b=2' };
const RUN = 'https://ci.example.com/acme/app/actions/runs/17';
const CI = {
  GITHUB_SERVER_URL: 'https://ci.example.com',
  GITHUB_REPOSITORY: 'acme/app',
  GITHUB_RUN_ID: '17',
};
const ADD = ['users', 'add', '--org', 'acme', '--user', 'u1'];
const ADDED = () => success({ u1: { success: true } });

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: string };
  }[];
  readonly status: { readonly code?: number };
}

/** Starts a collector that records what it receives, and responds with `respond`. */
async function startCollector(respond: RequestListener = (_, response) => void response.end('{}')) {
  const bodies: string[] = [];
  const headers: unknown[] = [];
  const paths: unknown[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await text(request));
    headers.push(request.headers);
    paths.push(request.url);
    await respond(request, response);
  });
  const endpoint = `http://${await listen(server)}`;
  const spans = (): readonly Span[] =>
    bodies.flatMap((body) =>
      JSON.parse(body).resourceSpans.flatMap(
        (resource: { scopeSpans: { spans: Span[] }[] }) => resource.scopeSpans[0]?.spans ?? [],
      ),
    );
  return { endpoint, bodies, headers, paths, spans };
}

const attributeOf = ({ attributes }: Span, key: string) => {
  const { stringValue, intValue } = attributes.find((one) => one.key === key)?.value ?? {};
  return stringValue ?? intValue;
};

describe('the history and the receipt of a job', () => {
  it('name the user, the agent, the run in CI, and the trace', async () => {
    const { svc, home } = await newUserInProcess();
    await writeFile(join(home, 'users.csv'), 'userId\nu1\n');
    const by = { user: userInfo().username, agent: 'helper', ci: RUN, trace: TRACE };
    const env = { ...PARENT, ...CI, AI_AGENT: 'helper' };
    expect((await svc([...ADD, '--local'], { env })).code).toBe(0);
    const words = ['users', 'add', '--org', 'acme', '--file', 'users.csv', '--local', '-o', 'json'];
    const { job } = JSON.parse((await svc(words, { env })).stdout);
    const entries = JSON.parse((await svc(['history', '-o', 'json'])).stdout);
    expect(entries).toMatchObject([by, by]);
    expect(JSON.parse((await svc(['jobs', 'show', job, '-o', 'json'])).stdout)).toMatchObject(by);
    expect((await svc(['jobs', 'show', job])).stdout).toContain('agent helper (self-reported)');
    const line = (await readFile(join(home, '.local/state/svc/history/history.ndjson'), 'utf8'))
      .trim()
      .split('\n')[0];
    expect(Object.keys(JSON.parse(line ?? '')).sort()).toEqual(
      'agent at calls ci command exitCode host ids outcome profile records seconds trace undo user'
        .split(' ')
        .sort(),
    );
  });

  it('ignore values that are not valid, and never contain a secret of the environment', async () => {
    const { svc } = await newUserInProcess();
    const secret = 'secret-of-the-environment-91c4';
    const env = {
      TRACEPARENT: '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
      BUILD_URL: `https://user:${secret}@ci.example.com/job?token=${secret}`,
      AGENT: `agent ${secret}`,
      SVC_AUTH_TOKEN: secret,
    };
    await svc([...ADD, '--local'], { env });
    const { stdout } = await svc(['history', '-o', 'json']);
    expect(stdout).not.toContain(secret);
    expect(JSON.parse(stdout)).toMatchObject([{ trace: null, agent: expect.any(String) }]);
    await svc([...ADD, '--local'], { env: { BUILD_URL: 'javascript:alert(1)' } });
    expect(JSON.parse((await svc(['history', '-o', 'json'])).stdout)[1]).toMatchObject({
      ci: null,
    });
  });
});

describe('a request', () => {
  it('names the version, and continues the trace of the environment', async () => {
    const { svc } = await newUserInProcess();
    const { env, received } = await startMockService(ADDED);
    await svc(ADD, { env: { ...env, ...PARENT } });
    await svc(ADD, { env: { ...env, TRACEPARENT: 'x', TRACESTATE: 'a=1' } });
    await svc(ADD, { env: { ...env, ...PARENT, TRACESTATE: 'a=1\u0000\r\nx: 1' } });
    const [traced, untraced, unstated] = received.map(({ headers }) => headers);
    expect(traced).toMatchObject({
      'user-agent': `svc/${version}`,
      traceparent: PARENT.TRACEPARENT,
      tracestate: 'a=1,b=2',
    });
    expect(untraced).not.toHaveProperty('traceparent');
    expect(untraced).not.toHaveProperty('tracestate');
    expect(unstated).not.toHaveProperty('tracestate');
  });
});

describe('a collector', () => {
  it('receives a span for the command, each call, and each attempt', async () => {
    const { svc } = await newUserInProcess();
    let requests = 0;
    const { env, received } = await startMockService((_, response) => {
      requests += 1;
      if (requests > 1) return ADDED();
      response.writeHead(503, { 'content-type': 'text/html' }).end('busy');
      return undefined;
    });
    const collector = await startCollector();
    const run = await svc([...ADD, '-v'], {
      env: {
        ...env,
        ...PARENT,
        OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/`,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b',
      },
    });
    expect(run.code, run.stderr).toBe(0);
    expect(run.stderr).toContain('sent 4 spans\n');
    expect(collector.paths).toEqual(['/v1/traces']);
    expect(collector.headers).toMatchObject([
      { 'x-key': 'a b', 'content-type': 'application/json' },
    ]);
    const [command, call, first, second] = collector.spans();
    expect(command).toMatchObject({ name: 'svc users add', parentSpanId: '00f067aa0ba902b7' });
    expect(call).toMatchObject({ name: 'users add', parentSpanId: command?.spanId, status: {} });
    expect(first).toMatchObject({ name: 'POST', parentSpanId: call?.spanId, status: { code: 2 } });
    expect(second).toMatchObject({ parentSpanId: call?.spanId, status: {} });
    expect(first && attributeOf(first, 'http.response.status_code')).toBe('503');
    expect(second && attributeOf(second, 'http.request.resend_count')).toBe('1');
    for (const span of collector.spans()) {
      expect(span.traceId).toBe(TRACE);
      expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
    }
    // The service can continue the trace below the attempt.
    expect(received.map(({ headers }) => headers['traceparent'])).toEqual([
      `00-${TRACE}-${first?.spanId}-01`,
      `00-${TRACE}-${second?.spanId}-01`,
    ]);
  });

  it('sees one trace from a command to the deliveries that it causes', async () => {
    const user = await newUserInProcess();
    const hook = await startMockService(() => ({ status: 200, body: {} }));
    const collector = await startCollector();
    const serving = await startServing(user);
    const run = async (env: Readonly<Record<string, string>>, ...words: readonly string[]) =>
      expect(await user.svc(words, { env: { ...serving.env, ...env } })).toMatchObject({ code: 0 });
    await run({}, 'webhooks', 'advanced', 'update', '--enable');
    await run({}, 'webhooks', 'endpoints', 'create', '--url', hook.env.SVC_BASE_URL);
    const data = {
      activities: [
        { featureType: 'comment', actionType: 'comment.add', actionUser: { userId: 'u1' } },
      ],
    };
    const place = ['--org', 'acme', '--document', 'd1'];
    const words = ['activities', 'add', ...place, '--data', JSON.stringify(data)];
    await run({ ...PARENT, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }, ...words);
    await eventually(async () => expect(hook.received).toHaveLength(1));
    const attempt = collector.spans().findLast(({ name }) => name === 'POST');
    expect(hook.received[0]?.headers).toMatchObject({
      traceparent: `00-${TRACE}-${attempt?.spanId}-01`,
      tracestate: PARENT.TRACESTATE,
    });
    await serving.end('SIGTERM');
  });

  it('receives no secrets, IDs, or data', SLOW, async () => {
    const { svc } = await newUserInProcess();
    const secrets = Array.from({ length: 20 }, (_, at) => `secret-${at}-of-a-test-5f2c`);
    const [first = '', ...others] = secrets;
    const { env } = await startMockService(() => success({ authToken: others[0] }));
    const collector = await startCollector();
    const variables = {
      ...env,
      SVC_AUTH_TOKEN: first,
      SVC_WORKSPACE_ID: 'w1',
      SVC_WORKSPACE_AUTH_TOKEN: others[1] ?? '',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      AI_AGENT: others[2] ?? '',
    };
    for (const secret of others) {
      await svc(['users', 'add', '--org', secret, '--user', secret, '--name', secret], {
        env: variables,
      });
      await svc(
        ['api', '/v2/workspace/get', '--auth', 'workspace', '--data', `{"a":"${secret}"}`],
        {
          env: variables,
        },
      );
    }
    expect(collector.spans().length).toBeGreaterThan(80);
    for (const secret of secrets) expect(collector.bodies.join('')).not.toContain(secret);
  });

  it.each([
    { name: 'refuses', respond: (_, response) => void response.writeHead(500).end() },
    {
      name: 'is slow',
      respond: async (_, response) => {
        await setTimeout(1_000);
        response.write('{');
      },
      says: /^sent \d+ spans$/m,
    },
    { name: 'dies', respond: (_, response) => void response.destroy() },
    { name: 'never responds', respond: () => undefined },
    {
      name: 'redirects',
      respond: (_, response) => void response.writeHead(307, { location: '/' }).end(),
    },
  ] satisfies { name: string; respond: RequestListener; says?: RegExp }[])(
    'that $name changes neither stdout nor the exit code',
    SLOW,
    async ({ respond, ...given }) => {
      const { svc } = await newUser();
      const { env } = await startMockService(ADDED);
      const { endpoint } = await startCollector(respond);
      const traced = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
      for (const words of [
        [...ADD, '-o', 'csv', '--fields', 'succeeded'],
        ['users', 'add'],
        ['api', '/v2/agents/get'],
      ]) {
        const plain = await svc(words, { env });
        const run = await svc(words, { env: traced });
        expect([run.code, run.stdout, run.stderr]).toEqual([
          plain.code,
          plain.stdout,
          plain.stderr,
        ]);
      }
      const { stderr } = await svc([...ADD, '-v'], { env: traced });
      expect(stderr).toMatch('says' in given ? given.says : /^sent no spans: .+$/m);
    },
  );

  it('gets nothing if it cannot be reached, or if tracing is disabled', async () => {
    const { svc } = await newUserInProcess();
    const { env } = await startMockService(ADDED);
    const { endpoint, bodies } = await startCollector();
    const disabled = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' };
    expect((await svc([...ADD, '-v'], { env: disabled })).stderr).not.toContain('span');
    for (const address of ['http://127.0.0.1:1', 'not a url', 'ftp://127.0.0.1']) {
      const run = await svc([...ADD, '-v'], {
        env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: address },
      });
      expect([address, run.code, run.stderr]).toEqual([
        address,
        0,
        expect.stringContaining('sent no spans: '),
      ]);
    }
    expect(bodies).toEqual([]);
  });
});
