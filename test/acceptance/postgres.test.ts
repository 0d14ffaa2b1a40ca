import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { type Cluster, LOCKED, startCluster } from '../postgres/cluster.ts';
import { receiver } from '../service/deliveries/receiver.ts';
import { FULL_STATE } from '../service/state/full-state.ts';
import { SLOW } from '../slow.ts';
import { startBalancer } from './balancer.ts';
import { ADD_USERS, findOnlyJob, ndjsonUsers } from './bulk-service.ts';
import { newUserInProcess } from './in-process.ts';
import { startServing } from './serving.ts';
import { BIN, newUser, type User } from './svc.ts';

let cluster: Cluster | undefined;
beforeAll(async () => {
  cluster = await startCluster({ durable: true });
});
afterAll(() => cluster?.remove());
beforeEach((test) => {
  test.skip(cluster === undefined, 'PostgreSQL is not installed here');
});

/** Creates a database in the cluster and returns its URL and a query function. */
async function newDatabase() {
  if (!cluster) throw new Error('there is no cluster');
  const name = `d_${randomBytes(6).toString('hex')}`;
  const maintenance = new Client(cluster.url('postgres'));
  await maintenance.connect();
  await maintenance.query(`create database ${name}`);
  await maintenance.end();
  const store = cluster.url(name);
  // Connects again after a restart of the server.
  const pool = new Pool({ connectionString: store, max: 1 }).on('error', () => undefined);
  onTestFinished(() => pool.end());
  return { store, ask: async <Row>(sql: string): Promise<Row[]> => (await pool.query(sql)).rows };
}

const serve = (user: User, store: string) => startServing(user, '--store', store);

/** Waits until two servers know of each other, which takes a moment after their start. */
async function whenTwoArePeers(ask: (sql: string) => Promise<unknown[]>): Promise<void> {
  const peers = `select count(*) from pg_locks where locktype = 'advisory' and objsubid = 2 and database = (select oid from pg_database where datname = current_database())`;
  await eventually(async () => expect(await ask(peers)).toEqual([{ count: '2' }]));
}

describe('two servers on one database', () => {
  it(
    'share one workspace, lose nothing, and take over the deliveries of a killed one',
    SLOW,
    async ({ annotate }) => {
      const { store, ask } = await newDatabase();
      const user = await newUserInProcess();
      const servers = await Promise.all([serve(user, store), serve(user, store)]);
      const [one, other] = servers;
      const { SVC_API_KEY, SVC_AUTH_TOKEN } = one.env;
      expect(other.env).toMatchObject({ SVC_API_KEY, SVC_AUTH_TOKEN });
      const { url, received } = await receiver();
      await one.call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
      await other.call('/v2/workspace/advancedwebhook/endpoints/create', { url });
      const acknowledged: string[] = [];
      const writer = async (name: number) => {
        const { call } = servers[name % 2] ?? one;
        for (let n = 0; n < 15; n++) {
          const id = `${name}-${n}`;
          const activity = {
            id,
            featureType: 'comment',
            actionType: 'comment.add',
            actionUser: { userId: id },
          };
          const users = await call('/v1/users/add', {
            organizationId: 'acme',
            users: [{ userId: id }],
          });
          const place = { organizationId: 'acme', documentId: 'd1' };
          const added = await call('/v2/activities/add', { ...place, activities: [activity] });
          if (users.ok && added.ok) acknowledged.push(id);
          if (acknowledged.length === 40) void other.end('SIGKILL');
        }
      };
      await Promise.allSettled(Array.from({ length: 8 }, (_, name) => writer(name)));
      const users = await ask<{ userId: string }>('select "userId" from users');
      const activities = await ask<{ activityId: string }>('select "activityId" from activities');
      const stored = new Set(users.map(({ userId }) => userId));
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
      await eventually(async () => {
        const states = await ask<{ state: string }>('select distinct state from deliveries');
        expect(states).toEqual([{ state: 'delivered' }]);
      });
      const ids = received.map(({ headers }) => headers['webhook-id']);
      await annotate(`${acknowledged.length} acknowledged, ${ids.length} received`);
      expect(new Set(ids).size).toBe(activities.length);
      expect(ids.length - activities.length).toBeLessThanOrEqual(64);
      const listed = await user.svc([
        'local',
        'deliveries',
        'list',
        '--limit',
        '9',
        '-o',
        'json',
        '--store',
        store,
      ]);
      expect(JSON.parse(listed.stdout)).toHaveLength(9);
      expect(await one.end('SIGTERM')).toBe(0);
    },
  );
});

/** Sends calls over connections of their own, so that a balancer distributes them. */
function callOverNewConnections(url: string, headers: Readonly<Record<string, string>>) {
  const json = { 'content-type': 'application/json', connection: 'close' };
  return async (path: string, data: object) => {
    const init = {
      method: 'POST',
      headers: { ...json, ...headers },
      body: JSON.stringify({ data }),
    };
    const response = await fetch(url + path, init).catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    return {
      ok: response?.ok === true && text !== undefined,
      data: text && JSON.parse(text).result?.data,
    };
  };
}

describe('two servers behind a load balancer', () => {
  it(
    'are one service: reads see all writes, and a killed server fails no job',
    SLOW,
    async ({ annotate }) => {
      const { store, ask } = await newDatabase();
      const user = await newUserInProcess();
      const [one, other] = await Promise.all([serve(user, store), serve(user, store)]);
      const balancer = await startBalancer([one.env.SVC_BASE_URL, other.env.SVC_BASE_URL]);
      const env = { ...one.env, SVC_BASE_URL: balancer.url };
      const call = callOverNewConnections(balancer.url, one.headers);
      const { url, received } = await receiver();
      expect(
        await call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true }),
      ).toMatchObject({ ok: true });
      expect(await call('/v2/workspace/advancedwebhook/endpoints/create', { url })).toMatchObject({
        ok: true,
      });
      for (let n = 0; n < 20; n++) {
        const place = { organizationId: 'written', documentIds: [`d${n}`] };
        const documents = [{ documentId: `d${n}` }];
        expect(
          await call('/v1/organizations/documents/add', { ...place, documents }),
        ).toMatchObject({
          ok: true,
        });
        expect((await call('/v2/organizations/documents/get', place)).data).toMatchObject(
          documents.map(({ documentId: id }) => ({ id })),
        );
      }
      expect(Math.min(...balancer.served)).toBeGreaterThan(0);
      const activity = {
        featureType: 'comment',
        actionType: 'comment.add',
        actionUser: { userId: 'u1' },
      };
      const acknowledged: string[] = [];
      const comment = async (id: string) => {
        const place = { organizationId: 'acme', documentId: 'd1' };
        const { ok } = await call('/v2/activities/add', {
          ...place,
          activities: [{ id, ...activity }],
        });
        if (ok) acknowledged.push(id);
      };
      for (let n = 0; n < 10; n++) await comment(`before-${n}`);
      const count = 1_000;
      await writeFile(join(user.home, 'users.ndjson'), ndjsonUsers(count));
      const job = user.start([...ADD_USERS, '--batch-size', '20', '-o', 'json'], { env });
      const stored = () =>
        ask<{ count: string }>('select count(*) from members').then(([row]) => Number(row?.count));
      await eventually(async () => expect(await stored()).toBeGreaterThan(count / 10));
      expect(await stored()).toBeLessThan(count);
      await other.end('SIGKILL');
      for (let n = 0; n < 10; n++) await comment(`after-${n}`);
      const { code, stdout, stderr } = await job.ended;
      expect(code, stderr).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        total: count,
        succeeded: count,
        failed: 0,
        unknown: 0,
      });
      expect(await stored()).toBe(count);
      const activities = await ask<{ activityId: string }>('select "activityId" from activities');
      const written = new Set(activities.map(({ activityId }) => activityId));
      expect(acknowledged.filter((id) => !written.has(id))).toEqual([]);
      await eventually(async () => {
        expect(await ask('select distinct state from deliveries')).toEqual([
          { state: 'delivered' },
        ]);
      });
      const ids = received.map(({ headers }) => headers['webhook-id']);
      expect(new Set(ids).size).toBe(activities.length);
      await annotate(
        `connections: ${balancer.served.join(' and ')}; ${ids.length} received of ${activities.length} events`,
      );
      expect(await one.end('SIGTERM')).toBe(0);
    },
  );

  it('change their clock together, and only with --force', async () => {
    const { store, ask } = await newDatabase();
    const user = await newUserInProcess();
    const servers = await Promise.all([serve(user, store), serve(user, store)]);
    await whenTwoArePeers(ask);
    const advance = ['local', 'clock', 'advance', '49h', '-o', 'json', '--store', store];
    const refused = await user.svc(advance);
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(JSON.parse(refused.stderr).error.message).toMatch(/^2 servers use the store/);
    expect((await servers[0].admin('clock', { advance: '49h' })).status).toBe(400);
    const { code, stdout, stderr } = await user.svc([...advance, '--force']);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ offset: 49 * 3_600_000 });
    for (const { admin, env } of servers) {
      expect((await admin('clock')).body).toMatchObject({ offset: 49 * 3_600_000 });
      const date = (await fetch(`${env.SVC_BASE_URL}/healthz`)).headers.get('date') ?? '';
      expect(Date.parse(date) - Date.now()).toBeGreaterThan(48 * 3_600_000);
    }
  });
});

describe('the deliveries in flight of a killed server', () => {
  it('are sent by a running or a new server before the claim expires', SLOW, async () => {
    const { store, ask } = await newDatabase();
    const user = await newUserInProcess();
    const { url, received } = await receiver((_, count) => (count < 3 ? undefined : 200));
    const sent = async (count: number) => {
      await eventually(() => expect(received).toHaveLength(count));
      // Claims last as long as this test.
      await ask('update deliveries set "dueAt" = "dueAt" + 3600000 where owner is not null');
    };
    const first = await serve(user, store);
    await first.call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await first.call('/v2/workspace/advancedwebhook/endpoints/create', { url });
    const activity = {
      featureType: 'comment',
      actionType: 'comment.add',
      actionUser: { userId: 'u1' },
    };
    await first.call('/v2/activities/add', {
      organizationId: 'acme',
      documentId: 'd1',
      activities: [activity],
    });
    await sent(1);
    const second = await serve(user, store);
    await whenTwoArePeers(ask);
    await first.end('SIGKILL');
    await sent(2);
    await second.end('SIGKILL');
    const third = await serve(user, store);
    await sent(3);
    await eventually(async () =>
      expect(await ask('select state from deliveries')).toEqual([{ state: 'delivered' }]),
    );
    expect(await third.end('SIGTERM')).toBe(0);
  });
});

describe('a PostgreSQL server with an immediate restart', () => {
  it('loses and duplicates nothing during an import', SLOW, async ({ annotate }) => {
    const { store, ask } = await newDatabase();
    const user = await newUserInProcess();
    const { env, call, end } = await serve(user, store);
    await call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await call('/v2/workspace/advancedwebhook/endpoints/create', { url: (await receiver()).url });
    const count = 500;
    const activity = {
      featureType: 'comment',
      actionType: 'comment.add',
      actionUser: { userId: 'u1' },
    };
    const lines = Array.from({ length: count }, (_, id) =>
      JSON.stringify({ id: `a${id}`, ...activity }),
    );
    await writeFile(join(user.home, 'activities.ndjson'), `${lines.join('\n')}\n`);
    const words = [
      'activities',
      'add',
      '--org',
      'acme',
      '--document',
      'd1',
      '--file',
      'activities.ndjson',
    ];
    const run = user.start([...words, '--batch-size', '10', '--concurrency', '16', '-o', 'json'], {
      env,
    });
    const counted = () =>
      ask<{ count: string }>('select count(*) from activities').then(([row]) => Number(row?.count));
    await eventually(async () => expect(await counted()).toBeGreaterThan(count / 10));
    await cluster?.control('restart', '-m', 'immediate');
    const first = await run.ended;
    // A slow server leaves a few records with unknown outcome, which the next run sends again.
    const { job, unknown: open } = JSON.parse(first.stdout);
    const isOpen = first.stderr.includes(`svc jobs resume ${job}`);
    const resumed = isOpen ? await user.svc(['jobs', 'resume', job, '-o', 'json'], { env }) : first;
    const { succeeded, unknown, failures, ...rest } = JSON.parse(resumed.stdout);
    await annotate(`${open} unknown at first, then ${unknown} found written already`);
    // A write that was committed before its response was lost already exists when it is sent again.
    // This happens at most once per request in flight.
    expect(
      failures.filter(
        ({ message }: { message: string }) =>
          !/already exists; an earlier request with an unknown outcome may have added it/.test(
            message,
          ),
      ),
    ).toEqual([]);
    expect(resumed.code, resumed.stderr).toBe(unknown > 0 ? 9 : 0);
    expect(unknown).toBeLessThanOrEqual(16 * 10);
    expect({ ...rest, succeeded: succeeded + unknown }).toMatchObject({
      total: count,
      succeeded: count,
      failed: 0,
    });
    expect(await counted()).toBe(count);
    expect(await ask('select count(*) from deliveries')).toEqual([{ count: String(count) }]);
    expect(await end('SIGTERM')).toBe(0);
  });
});

describe('an import of many users', () => {
  it('is complete after kills of the job and of the service', SLOW, async () => {
    const { store, ask } = await newDatabase();
    const user = await newUserInProcess();
    const first = await serve(user, store);
    const count = 1_000;
    await writeFile(join(user.home, 'users.ndjson'), ndjsonUsers(count));
    const setting = { env: first.env };
    const stored = () =>
      ask<{ count: string }>('select count(*) from members').then(([row]) => Number(row?.count));
    const isThere = (part: number) =>
      eventually(async () => expect(await stored()).toBeGreaterThanOrEqual(part));
    const killed = user.start([...ADD_USERS, '--batch-size', '20'], setting);
    await isThere(count / 10);
    killed.kill('SIGKILL');
    await killed.ended;
    const before = await stored();
    expect(before).toBeLessThan(count);
    const job = await findOnlyJob((...words) => user.svc(words, setting));
    const resumed = user.start(['jobs', 'resume', job, '-o', 'json', '-q'], setting);
    await isThere(before + count / 10);
    await first.end('SIGKILL');
    const second = await startServing(
      user,
      '--store',
      store,
      '--port',
      new URL(first.env.SVC_BASE_URL).port,
    );
    const interrupted = await resumed.ended;
    expect([0, 9, 11], interrupted.stderr).toContain(interrupted.code);
    // If the service starts slowly, some requests get no response. The next run sends their records
    // again.
    const resume = () => user.svc(['jobs', 'resume', job, '-o', 'json', '-q'], setting);
    const { code, stdout, stderr } = interrupted.code === 0 ? interrupted : await resume();
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      total: count,
      succeeded: count,
      failed: 0,
      unknown: 0,
      skipped: 0,
    });
    expect(await stored()).toBe(count);
    expect(await second.end('SIGTERM')).toBe(0);
  });
});

describe('a listener on a PostgreSQL store', () => {
  it(
    'receives deliveries from local exec and from send, and leaves no endpoint behind',
    SLOW,
    async () => {
      const { store, ask } = await newDatabase();
      const user = await newUserInProcess();
      const endpoints = () =>
        ask<{ count: string }>('select count(*) from endpoints').catch(() => []);
      const [own, at] = [process.execPath, ['--local', '--store', store]];
      const listening = user.start([
        'webhooks',
        'listen',
        ...at,
        '--port',
        '0',
        '--exit-after',
        '2',
        '-o',
        'ndjson',
      ]);
      await eventually(async () => expect(await endpoints()).toEqual([{ count: '1' }]));
      const activity = {
        featureType: 'comment',
        actionType: 'comment.add',
        actionUser: { userId: 'u1' },
      };
      const adding = ['activities', 'add', '--org', 'acme', '--document', 'd1', '--data'];
      const data = JSON.stringify({ activities: [activity] });
      const executed = await user.start([
        'local',
        'exec',
        '--store',
        store,
        '--',
        own,
        BIN,
        ...adding,
        data,
      ]).ended;
      expect(executed.code, executed.stderr).toBe(0);
      const sent = await user.svc([
        'webhooks',
        'send',
        'comment.update',
        '--via-service',
        ...at,
        '-o',
        'json',
      ]);
      expect(sent.code, sent.stdout + sent.stderr).toBe(0);
      const { code, stdout, stderr } = await listening.ended;
      expect(code, stderr).toBe(0);
      const events = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(events.toSorted((one, other) => (one.event < other.event ? -1 : 1))).toMatchObject([
        { event: 'comment.add', verified: true },
        { event: 'comment.update', verified: true },
      ]);
      expect(await endpoints()).toEqual([{ count: '0' }]);
    },
  );
});

describe('a copy', () => {
  it('from SQLite to PostgreSQL exports the same text', SLOW, async () => {
    const { store } = await newDatabase();
    const { svc } = await newUserInProcess();
    expect((await svc(['local', 'import', '-'], { stdin: JSON.stringify(FULL_STATE) })).code).toBe(
      0,
    );
    const exported = await svc(['local', 'export']);
    const imported = await svc(['local', 'import', '-', '--store', store], {
      stdin: exported.stdout,
    });
    expect(imported.code, imported.stderr).toBe(0);
    expect((await svc(['local', 'export', '--store', store])).stdout).toBe(exported.stdout);
  });
});

describe('a password', () => {
  it('is read from PGPASSWORD or .pgpass and never shown', SLOW, async () => {
    const { store, ask } = await newDatabase();
    const password = randomBytes(12).toString('hex');
    await ask(`create role ${LOCKED} login superuser password '${password}'`);
    const user = await newUser();
    const locked = store.replace('svc@', `${LOCKED}@`);
    const add = (given: string, env: Record<string, string> = {}) =>
      user.svc(
        ['users', 'add', '--local', '--org', 'acme', '--user', 'u1', '--debug', '--store', given],
        { env },
      );
    expect(await add(locked)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('requires a password, but none is set'),
    });
    const wrong = await add(locked, { PGPASSWORD: password.slice(1) });
    expect(wrong).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('password authentication failed'),
    });
    const runs = [wrong, await add(locked, { PGPASSWORD: password })];
    await writeFile(join(user.home, '.pgpass'), `*:*:*:${LOCKED}:${password}\n`, { mode: 0o600 });
    runs.push(await add(locked));
    expect(runs.map(({ code }) => code)).toEqual([4, 0, 0]);
    const refused = await add(locked.replace('@', `:${password}@`));
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--store must not contain a password'),
    });
    const history = await user.svc(['history', '-o', 'json']);
    for (const { stdout, stderr } of [...runs, refused, history]) {
      expect(stdout + stderr).not.toContain(password.slice(1));
      expect(stderr).not.toContain('deprecated');
    }
  });
});

describe('an inaccessible database', () => {
  it.each([
    ['without a server', 8, 'check that PostgreSQL is running'],
    ['that does not exist', 5, 'createdb'],
    ['for an unknown user', 4, 'use a user that pg_hba.conf on the server allows'],
    ['for a user without free connections', 8, 'each svc process uses up to 11 connections'],
  ])('%s: exit %i', async (why, code, hint) => {
    const { store, ask } = await newDatabase();
    await ask('create role busy login connection limit 0').catch(() => undefined);
    const places: Record<string, string | undefined> = {
      'without a server': 'postgres://svc@127.0.0.1:1/x',
      'that does not exist': cluster?.url('missing'),
      'for an unknown user': store.replace('svc@', 'nobody@'),
      'for a user without free connections': store.replace('svc@', 'busy@'),
    };
    const { svc } = await newUserInProcess();
    for (const words of [
      ['local', 'export'],
      ['serve', '--port', '0'],
      ['users', 'data', '--local', '--org', 'a', '--user', 'b'],
    ]) {
      expect(await svc([...words, '--store', places[why] ?? ''])).toMatchObject({
        code,
        stdout: '',
        stderr: expect.stringContaining(hint),
      });
    }
  });
});
