import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClockChange } from '../../../src/catalog/local/clock-state.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { startDeliveries } from '../../../src/service/deliveries/engine.ts';
import { createService } from '../../../src/service/embedded.ts';
import {
  type ClockSetting,
  convertTime,
  createServiceClock,
} from '../../../src/service/local/clock.ts';
import { applyChange, changeClock, readClock } from '../../../src/service/local/clock-control.ts';
import { createDevelopmentState } from '../../../src/service/local/state.ts';
import { openStore } from '../../../src/service/store/open.ts';
import { eventually } from '../../eventually.ts';
import { repeats } from '../../repeats.ts';
import { SLOW } from '../../slow.ts';
import { type DeliveringWorld, deliveringWorld } from '../deliveries/delivering.ts';
import { receiver } from '../deliveries/receiver.ts';
import { isPostgres } from '../store-location.ts';
import { startTestService, type TestService } from '../test-service.ts';

const ENDPOINTS = '/v2/workspace/advancedwebhook/endpoints';
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 24 * 3_600_000];

function clockOf({ store, clock, reported }: TestService) {
  const report = (error: unknown) => void reported.push(error);
  const development = createDevelopmentState(store);
  const context = { store, development, realClock: clock, allowPrivateTargets: true, report };
  return {
    change: (change: ClockChange) => changeClock(context, change),
    read: () => readClock(context),
    time: createServiceClock(clock, development),
  };
}

const D1 = { organizationId: 'acme', documentId: 'd1' };

/** Grants `hank` access to the document `d1` for 48 hours. */
async function grantFor48Hours({ call, clock }: TestService): Promise<void> {
  await call('/v1/organizations/documents/add', {
    organizationId: 'acme',
    documents: [{ documentId: 'd1' }],
  });
  const expiresAt = Math.floor(clock.now() / 1_000) + 48 * 3_600;
  const resources = [{ type: 'document', id: 'd1', organizationId: 'acme', expiresAt }];
  const { http } = await call('/v2/auth/permissions/add', {
    user: { userId: 'hank' },
    permissions: { resources },
  });
  expect(http).toBe(200);
}

/** Returns the number of notifications for users with access that reached `hank`. */
async function notify({ call, store }: TestService): Promise<number> {
  const actionUser = { userId: 'u0' };
  const texts = { displayHeadlineMessageTemplate: 'Hello', displayBodyMessage: 'World' };
  const users = {
    notifyUsers: [{ userId: 'hank' }],
    notifyAll: false,
    verifyUserPermissions: true,
  };
  await call('/v2/notifications/add', { ...D1, ...texts, ...users, actionUser });
  return (
    await store.read((database) => database.selectFrom('participants').select('userId').execute())
  ).length;
}

describe('the clock of a service', () => {
  it('ends access that expires, and a reset restores it', async () => {
    const service = await startTestService();
    await grantFor48Hours(service);
    expect(await notify(service)).toBe(1);
    const { change } = clockOf(service);
    expect(await change({ advance: '49h' })).toMatchObject({
      offset: 49 * HOUR,
      permissionsExpired: 1,
      attempts: 0,
    });
    expect(await notify(service)).toBe(1);
    await change({ reset: true });
    expect(await notify(service)).toBe(2);
  });

  it('reports the access tokens that expire while it advances', async () => {
    const service = await startTestService();
    const input = {
      userId: 'u1',
      userProperties: { name: 'A', email: 'a@example.com' },
      permissions: { resources: [] },
    };
    for (let token = 0; token < 2; token++) await service.call('/v2/auth/generate_token', input);
    await service.whenIdle();
    const { change } = clockOf(service);
    expect(await change({ advance: '47h' })).toMatchObject({ tokensExpired: 0 });
    expect(await change({ advance: '2h' })).toMatchObject({ tokensExpired: 2 });
    expect(await change({ advance: '49h' })).toMatchObject({ tokensExpired: 0 });
  });

  it('applies to the next request of another process, and survives a restart', async () => {
    const service = await startTestService();
    const other = await openStore(service.path);
    const { fetch } = createService({ store: other, clock: service.clock });
    const health = async () =>
      Date.parse((await fetch('http://localhost/healthz')).headers.get('date') ?? '');
    expect(await health()).toBeNaN();
    await clockOf(service).change({ advance: '49h' });
    // A health check does not wait for a database, so the first one may show the former time.
    if (isPostgres) await eventually(async () => expect(await health()).not.toBeNaN());
    expect(await health()).toBe(Math.floor((service.clock.time + 49 * HOUR) / 1_000) * 1_000);
    await other.close();
    const restarted = await openStore(service.path);
    const reopened = clockOf({ ...service, store: restarted });
    expect(await reopened.read()).toMatchObject({ offset: 49 * HOUR });
    await restarted.close();
  });

  it('stands still while it is frozen, and runs on from there', async () => {
    const service = await startTestService();
    const { change, read } = clockOf(service);
    const frozen = await change({ freeze: true });
    service.clock.time += DAY;
    expect(await read()).toEqual({ now: frozen.now, offset: -DAY, frozen: true });
    await change({ advance: '1h' });
    await change({ run: true });
    service.clock.time += MINUTE;
    const now = new Date(Date.parse(frozen.now) + HOUR + MINUTE).toISOString();
    expect(await read()).toEqual({ now, offset: HOUR - DAY, frozen: false });
  });

  it.each([
    [{ advance: '-49h' }],
    [{ advance: 'soon' }],
    [{ set: 'tomorrow' }],
    [{ set: '1969-12-31' }],
    [{ advance: '100000d' }],
  ])('rejects %j, and keeps its time', async (change) => {
    const clock = clockOf(await startTestService());
    await expect(clock.change(change)).rejects.toMatchObject({ failure: 'usage' });
    expect(await clock.read()).toMatchObject({ offset: 0, frozen: false });
  });

  it('shows the time of a pure model after any changes', SLOW, async () => {
    const service = await startTestService();
    const { change, read, time } = clockOf(service);
    const duration = fc.nat(100 * 24).map((hours) => `${hours}h`);
    const changes = fc.oneof(
      fc.record({ advance: duration }),
      fc
        .date({ min: new Date('2000-01-01'), max: new Date('2050-01-01'), noInvalidDate: true })
        .map((date) => {
          return { set: `${date.toISOString().slice(0, 19)}Z` };
        }),
      fc.constantFrom<ClockChange>({ freeze: true }, { run: true }, { reset: true }),
    );
    const steps = fc.array(fc.tuple(changes, fc.nat(DAY)), { maxLength: 8 });
    const property = fc.asyncProperty(steps, async (sequence) => {
      await change({ reset: true });
      let model: { time: number; isFrozen: boolean } = {
        time: service.clock.time,
        isFrozen: false,
      };
      for (const [step, passed] of sequence) {
        await change(step);
        model = nextModel(model, step, service.clock.time);
        service.clock.time += passed;
        if (!model.isFrozen) model.time += passed;
        expect(await read()).toMatchObject({
          now: new Date(model.time).toISOString(),
          frozen: model.isFrozen,
        });
        expect(time.now()).toBe(model.time);
      }
    });
    await fc.assert(property, { numRuns: repeats(isPostgres ? 3 : 30) });
  });
});

function nextModel(
  model: { time: number; isFrozen: boolean },
  step: ClockChange,
  realTime: number,
) {
  if ('advance' in step)
    return { ...model, time: model.time + Number.parseInt(step.advance, 10) * HOUR };
  if ('set' in step) return { ...model, time: Date.parse(step.set) };
  if ('freeze' in step) return { ...model, isFrozen: true };
  return 'run' in step ? { ...model, isFrozen: false } : { time: realTime, isFrozen: false };
}

describe('applyChange', () => {
  it('never moves the time backward with advance, freeze, and run', () => {
    const setting = fc.oneof<fc.Arbitrary<ClockSetting>[]>(
      fc.record({ offset: fc.integer({ min: -DAY, max: 1_000 * DAY }) }),
      fc.record({ frozenAt: fc.nat(2_000_000_000_000) }),
    );
    const change = fc.oneof(
      fc.nat(10_000).map((minutes): ClockChange => ({ advance: `${minutes}m` })),
      fc.constantFrom<ClockChange>({ freeze: true }, { run: true }),
    );
    fc.assert(
      fc.property(
        setting,
        change,
        fc.integer({ min: 2 * DAY, max: 1_900_000_000_000 }),
        (before, step, realTime) => {
          const after = applyChange(before, step, realTime);
          expect(convertTime(after, realTime)).toBeGreaterThanOrEqual(
            convertTime(before, realTime),
          );
        },
      ),
    );
  });
});

/** Serves the deliveries of a world like another process does: with its own connection. */
async function serveBeside({ path }: DeliveringWorld, timeScale = 1) {
  const store = await openStore(path);
  const time = createServiceClock(systemClock, createDevelopmentState(store));
  const running = startDeliveries(store, {
    clock: systemClock,
    time,
    timeScale,
    allowPrivateTargets: true,
  });
  onTestFinished(async () => {
    await running.stop();
    await store.close();
  });
}

const ATTEMPTS = [0, 5_000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];

describe('advancing the clock', () => {
  it.each(['alone', 'beside a serving process', 'with a frozen clock'])(
    'runs the whole delivery schedule %s',
    async (way) => {
      const [failing, watching] = [await receiver(() => 503), await receiver()];
      const world = await deliveringWorld();
      const { change } = clockOf(world);
      if (way === 'with a frozen clock') await change({ freeze: true });
      if (way === 'beside a serving process') await serveBeside(world);
      await world.endpoint({ url: failing.url, filterTypes: ['comment.add'] });
      await world.endpoint({ url: watching.url, filterTypes: ['message.attempt.exhausted'] });
      await world.comment();
      const report = await change({ advance: '49h' });
      const [record, exhausted] = await world.until('exhausted', 'delivered');
      expect(failing.received).toHaveLength(8);
      expect(new Set(failing.received.map(({ headers }) => headers['webhook-id']))).toEqual(
        new Set([record?.id]),
      );
      const times = record?.attempts.map(({ at }) => Date.parse(at)) ?? [];
      const gaps = times
        .slice(1)
        .map((time, attempt) => time - (times[attempt] ?? 0) - (ATTEMPTS[attempt + 1] ?? 0));
      // An attempt starts when it is due, or as much later as this machine needs.
      for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(0);
      for (const gap of gaps) expect(gap).toBeLessThan(MINUTE);
      expect(watching.received).toHaveLength(1);
      expect(JSON.parse(watching.received[0]?.body ?? '')).toMatchObject({
        event: 'message.attempt.exhausted',
      });
      expect(Date.parse(exhausted?.attempts[0]?.at ?? '')).toBeGreaterThanOrEqual(
        times.at(-1) ?? 0,
      );
      expect(report).toMatchObject({ endpointsDisabled: 0, offset: expect.any(Number) });
      // A serving process may make the first attempt before the advance.
      expect(way === 'beside a serving process' ? [8, 9] : [9]).toContain(report.attempts);
      expect(world.reported).toEqual([]);
    },
  );

  it.each(['with a running clock', 'with a frozen clock', 'beside a serving process'])(
    'ends under steady traffic, with every attempt that was due: %s',
    SLOW,
    async (way) => {
      const failing = await receiver(() => 503);
      const world = await deliveringWorld();
      const steady = await receiver((_, __, response) => {
        // A new delivery for each one that ends: the endpoint always has one in flight.
        if (isSteady) void world.comment();
        setTimeout(() => response.writeHead(200).end(), 20);
        return undefined;
      });
      let isSteady = true;
      onTestFinished(() => {
        isSteady = false;
      });
      const { change } = clockOf(world);
      if (way === 'with a frozen clock') await change({ freeze: true });
      const failingId = await world.endpoint({ url: failing.url });
      await world.comment();
      if (way === 'beside a serving process') await serveBeside(world);
      await world.call(`${ENDPOINTS}/update`, { endpointId: failingId, filterTypes: ['x.y'] });
      await world.endpoint({ url: steady.url });
      await world.comment(3);
      await change({ advance: '49h' });
      isSteady = false;
      expect(failing.received.length).toBeGreaterThanOrEqual(8);
      expect((await world.deliveries())[0]?.attempts).toHaveLength(8);
    },
  );

  it('leaves due work to a serving process while the clock is frozen', async () => {
    const { url, received } = await receiver();
    const world = await deliveringWorld();
    const frozen = await clockOf(world).change({ freeze: true });
    await serveBeside(world);
    await world.endpoint({ url });
    await world.comment(2);
    const records = await world.until('delivered', 'delivered');
    expect(received).toHaveLength(2);
    expect(records.map(({ attempts }) => attempts[0]?.at)).toEqual([frozen.now, frozen.now]);
  });

  it('deletes deliveries after their retention period', async () => {
    const { url } = await receiver();
    const world = await deliveringWorld();
    const { change } = clockOf(world);
    await world.endpoint({ url });
    await world.comment();
    await change({ advance: '6d' });
    expect(await world.deliveries()).toMatchObject([{ state: 'delivered' }]);
    await change({ advance: '2d' });
    expect(await world.deliveries()).toEqual([]);
  });

  it('disables an endpoint after five days of failures, and stops its other deliveries', async () => {
    const { url } = await receiver(() => 503);
    const world = await deliveringWorld();
    const { change } = clockOf(world);
    const endpointId = await world.endpoint({ url });
    await world.comment();
    expect(await change({ advance: '4d' })).toMatchObject({ attempts: 8, endpointsDisabled: 0 });
    await world.comment();
    expect(await change({ advance: '23h' })).toMatchObject({ endpointsDisabled: 0 });
    await world.comment();
    expect(await change({ advance: '2d' })).toMatchObject({ endpointsDisabled: 1 });
    const { body } = await world.call('/v2/workspace/advancedwebhook/endpoints/get', {});
    expect(body.result?.data.endpoints).toMatchObject([{ id: endpointId, disabled: true }]);
    const last = (await world.deliveries()).at(-1);
    expect([last?.state, last?.reason, last?.attempts.at(-1)?.error]).toEqual([
      'exhausted',
      'stopped',
      'not sent: the endpoint was disabled because all its attempts failed',
    ]);
  });

  it('disables no endpoint that accepted a delivery in these days', async () => {
    let status = 503;
    const { url } = await receiver(() => status);
    const world = await deliveringWorld();
    const { change } = clockOf(world);
    await world.endpoint({ url });
    await world.comment();
    await change({ advance: '4d' });
    status = 200;
    await world.comment();
    await change({ advance: '1h' });
    status = 503;
    await world.comment();
    expect(await change({ advance: '49h' })).toMatchObject({ endpointsDisabled: 0 });
  });

  it('keeps the order of due times across endpoints, and the rate limit of each', async () => {
    const order: string[] = [];
    const answer = (name: string) => () => {
      order.push(name);
      return 503;
    };
    const [slow, fast] = [await receiver(answer('limited')), await receiver(answer('other'))];
    const world = await deliveringWorld();
    const { change } = clockOf(world);
    await world.endpoint({ url: slow.url, rateLimit: 1 });
    await world.comment(3);
    await world.endpoint({ url: fast.url });
    expect(await change({ advance: '4s' })).toMatchObject({ attempts: 3 });
    await world.comment();
    expect(await change({ advance: '2s' })).toMatchObject({ attempts: expect.any(Number) });
    expect(order.slice(0, 3)).toEqual(['limited', 'limited', 'limited']);
    expect(order).toContain('other');
    const times = (await world.deliveries())
      .slice(0, 3)
      .map(({ attempts }) => Date.parse(attempts[0]?.at ?? ''));
    for (const [index, time] of times.slice(1).entries())
      expect(time - (times[index] ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  it('sends signatures with the real time, so that receivers accept them', async () => {
    const { url, received } = await receiver();
    const world = await deliveringWorld();
    const { change } = clockOf(world);
    await change({ advance: '49h' });
    await world.endpoint({ url });
    await world.comment();
    await change({ advance: '1m' });
    const timestamp = Number(received[0]?.headers['webhook-timestamp']) * 1_000;
    expect(Math.abs(timestamp - Date.now())).toBeLessThan(10 * MINUTE);
  });

  it('stops if another process changes the clock at the same time', async () => {
    const world = await deliveringWorld();
    const { change, read } = clockOf(world);
    const { url } = await receiver(() => 503);
    await world.endpoint({ url });
    await world.comment();
    const other = await openStore(world.path);
    const outcome = change({ advance: '49h' }).then(
      () => 'advanced before the change',
      (error) => error.failure,
    );
    await eventually(async () => expect((await read()).offset).toBeGreaterThan(0));
    await createDevelopmentState(other).change('clock', () => ({ offset: -DAY }));
    await other.close();
    expect(['locked', 'advanced before the change']).toContain(await outcome);
    expect(await read()).toMatchObject({ offset: -DAY });
  });
});

describe('setting the clock back', () => {
  it('does not postpone the deliveries of a serving process', async () => {
    const { url, received } = await receiver((_, count) => (count > 2 ? 200 : 503));
    const world = await deliveringWorld();
    const { change } = clockOf(world);
    await serveBeside(world, 0.1);
    await world.endpoint({ url, rateLimit: 1 });
    await change({ advance: '49h' });
    await world.comment();
    await eventually(() => expect(received).not.toHaveLength(0));
    await eventually(async () => expect((await world.deliveries())[0]?.attempts).toHaveLength(1));
    await change({ reset: true });
    // The next attempt is due half a second after the first one, not 49 hours later.
    await eventually(async () => expect((await world.deliveries())[0]?.attempts).toHaveLength(2));
    const [first, second] = (await world.deliveries())[0]?.attempts ?? [];
    expect(Date.parse(first?.at ?? '') - Date.parse(second?.at ?? '')).toBeGreaterThan(48 * HOUR);
  });
});
