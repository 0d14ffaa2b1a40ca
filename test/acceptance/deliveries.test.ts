import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { eventually } from '../eventually.ts';
import { repeats } from '../repeats.ts';
import { receiver } from '../service/deliveries/receiver.ts';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { startServing } from './serving.ts';
import type { User } from './svc.ts';

type Service = Awaited<ReturnType<typeof startServing>>;

/** Sends a call that must succeed. */
async function sendCall({ call }: Service, path: string, data: object): Promise<void> {
  expect(await call(path, data)).toMatchObject({ ok: true });
}

async function createEndpoint(service: Service, url: string): Promise<void> {
  await sendCall(service, '/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  await sendCall(service, '/v2/workspace/advancedwebhook/endpoints/create', { url });
}

function addComment(service: Service, count: number) {
  const activity = {
    featureType: 'comment',
    actionType: 'comment.add',
    actionUser: { userId: 'u1' },
  };
  const activities = Array<object>(count).fill(activity);
  return sendCall(service, '/v2/activities/add', {
    organizationId: 'acme',
    documentId: 'd1',
    activities,
  });
}

async function listDeliveries({ svc }: User, ...words: readonly string[]) {
  const { stdout, stderr, code } = await svc([
    'local',
    'deliveries',
    'list',
    '-o',
    'json',
    '--limit',
    '99999',
    ...words,
  ]);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as { id: string; payload?: unknown; attempts: { status: number }[] }[];
}

/** Returns the IDs of the deliveries that a killed service had claimed and not recorded. */
function readClaimed({ home }: User): readonly string[] {
  const database = new DatabaseSync(join(home, '.local', 'share', 'svc', 'service.sqlite'));
  try {
    const claimed = database.prepare('select id from deliveries where owner is not null').all();
    return claimed.map(({ id }) => String(id));
  } finally {
    database.close();
  }
}

/** Events before each kill: more than the service delivers at once. */
const EVENTS = 300;
const KILLS = repeats(2);

/** Time in milliseconds until deliveries have arrived. */
const PATIENCE = repeats(40_000);

describe('deliveries of svc serve', () => {
  it('all arrive despite failures and kills of the service', {
    ...SLOW,
    timeout: 3 * PATIENCE,
  }, async (test) => {
    const attempts = new Map<string, number>();
    const arrived = new Map<string, number>();
    const claims = new Map<string, number>();
    const { url } = await receiver(({ headers }) => {
      const id = String(headers['webhook-id']);
      const count = attempts.get(id) ?? 0;
      attempts.set(id, count + 1);
      // No delivery fails often enough to be abandoned.
      if (count < 4 && Math.random() < 0.3) return 500;
      arrived.set(id, (arrived.get(id) ?? 0) + 1);
      return 200;
    });
    const user = await newUserInProcess();
    let service = await startServing(user, '--time-scale', '0.0001');
    await createEndpoint(service, url);
    for (let n = 0; n < KILLS; n++) {
      await addComment(service, EVENTS);
      const half = { timeout: PATIENCE, interval: 1 };
      await vi.waitFor(() => expect(arrived.size).toBeGreaterThan((n + 0.5) * EVENTS), half);
      await service.end('SIGKILL');
      for (const id of readClaimed(user)) claims.set(id, (claims.get(id) ?? 0) + 1);
      service = await startServing(user, '--time-scale', '0.0001');
    }
    const unfinished = async () => [
      ...(await listDeliveries(user, '--state', 'pending')),
      ...(await listDeliveries(user, '--state', 'failed')),
    ];
    await vi.waitFor(async () => expect(await unfinished()).toEqual([]), PATIENCE);
    const delivered = await listDeliveries(user, '--state', 'delivered');
    expect(delivered).toHaveLength(EVENTS * KILLS);
    expect(await listDeliveries(user, '--state', 'failed')).toEqual([]);
    expect(delivered.filter(({ id }) => !arrived.has(id))).toEqual([]);
    const repeated = [...arrived.values()].reduce((sum, count) => sum + count - 1, 0);
    await test.annotate(
      `${delivered.length} delivered over ${KILLS} kills, ${repeated} of them twice`,
    );
    // A recorded success is never sent again.
    const excessive = [...arrived].filter(([id, count]) => count > 1 + (claims.get(id) ?? 0));
    expect(excessive).toEqual([]);
    expect(await service.end('SIGTERM')).toBe(0);
  });

  it('in flight are completed and recorded on SIGTERM', async () => {
    const { url, received } = await receiver((_, __, response) => {
      void setTimeout(300).then(() => response.writeHead(200).end());
      return undefined;
    });
    const user = await newUserInProcess();
    const service = await startServing(user);
    await createEndpoint(service, url);
    await addComment(service, 3);
    await eventually(() => expect(received).toHaveLength(3));
    expect(await service.end('SIGTERM')).toBe(0);
    expect(await listDeliveries(user, '--state', 'delivered')).toHaveLength(3);
  });
});

describe('svc local deliveries', () => {
  it('lists, shows, and retries failed deliveries', async () => {
    let status = 500;
    const { url, received } = await receiver(() => status);
    const user = await newUserInProcess();
    // Each attempt takes 2 s, and the endpoint is disabled after 9 s of failures. A busy machine
    // must not reach that limit.
    const service = await startServing(user, '--time-scale', '0.00002');
    await createEndpoint(service, url);
    await addComment(service, 1);
    const failed = await eventually(async () => {
      const found = await listDeliveries(user, '--state', 'exhausted', '--event', 'comment.add');
      expect(found).toHaveLength(1);
      return found;
    });
    const { svc } = user;
    const id = failed[0]?.id ?? '';
    expect((await service.admin('deliveries?event=comment.add&limit=1')).body).toMatchObject({
      deliveries: [{ id }],
      more: false,
    });
    expect((await service.admin('deliveries?event=comment.delete')).body.deliveries).toEqual([]);
    const table = await svc(['local', 'deliveries', 'list']);
    expect(table.stdout).toMatch(
      /^ID +EVENT +ENDPOINT +STATE +WHY +ATTEMPTS +LAST +NEXT ATTEMPT +GIVES UP\n/,
    );
    expect(table.stdout).toMatch(
      new RegExp(`^${id} +comment[.]add +ep_\\w+ +exhausted +http 5xx +8 +500 in \\S+ ms$`, 'm'),
    );
    const csv = await svc(['local', 'deliveries', 'list', '-o', 'csv']);
    expect(csv.stdout).toMatch(/^id,endpointId,endpointUid,event,state,reason,/);
    const shown = await svc(['local', 'deliveries', 'show', id]);
    expect(shown.stdout).toMatch(/^attempt 8 +\d\d:\d\d:\d\d {2}500 in \S+ ms$/m);
    expect(shown.stdout).toMatch(/^payload\n {2}\{\n {4}"event": "comment.add",$/m);
    const own = JSON.parse((await svc(['local', 'deliveries', 'show', id, '-o', 'json'])).stdout);
    expect(own).toMatchObject([{ id, payload: { event: 'comment.add' } }]);
    expect(own[0].attempts).toEqual(failed[0]?.attempts);
    status = 200;
    const again = await svc(['local', 'deliveries', 'retry', '--failed', '--yes', '-o', 'json']);
    expect(again.code, again.stderr).toBe(0);
    expect(JSON.parse(again.stderr).note.message).toBe(
      `1 delivery scheduled; the service on ${service.env.SVC_BASE_URL} sends pending deliveries`,
    );
    await eventually(async () =>
      expect(await listDeliveries(user, '--state', 'delivered')).toHaveLength(1),
    );
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
    expect(await svc(['local', 'deliveries', 'retry', id])).toMatchObject({ code: 0 });
    await eventually(() => expect(received.at(-1)?.headers['webhook-id']).toBe(id));
    expect(await svc(['local', 'deliveries', 'retry', '--failed'])).toMatchObject({ code: 0 });
    expect(await svc(['local', 'deliveries', 'retry', 'msg_x'])).toMatchObject({ code: 5 });
    expect(await svc(['local', 'deliveries', 'retry'])).toMatchObject({ code: 2 });
    expect(await svc(['local', 'deliveries', 'retry', id, '--failed'])).toMatchObject({ code: 2 });
    expect(await svc(['local', 'deliveries', 'list', '--limit', '0'])).toMatchObject({ code: 2 });
  });
});
