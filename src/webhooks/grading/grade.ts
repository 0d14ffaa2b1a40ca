import type { Clock } from '../../kernel/clock.ts';
import { SvcError } from '../../kernel/errors.ts';
import { type PostOptions, post, type Receipt } from '../post.ts';
import type { Case } from './cases.ts';
import type { Effect } from './effects.ts';
import { EXPECTATIONS } from './expectations.ts';
import { type Grade, type Observation, skippedGrade, verdictOn } from './judge.ts';
import type { Kit, Means, Shipment } from './kit.ts';
import { sendingOf } from './manner.ts';

export interface GradingWorld {
  readonly url: URL;
  readonly means: Means;
  readonly make: Kit;
  readonly clock: Clock;
  readonly how: Omit<PostOptions, 'write'>;
  /** What the receiver has done so far, where it tells. */
  readonly effects?: (() => Promise<readonly Effect[]>) | undefined;
  /** Told, before each case, how many have been tried. */
  readonly begin?: (done: number) => void;
}

/** Milliseconds that a receiver that does not answer gets to be back, between two looks, and to answer one. */
const COMEBACK = 5_000;
const LOOK = 250;
const LOOK_TIME = 5_000;
/** Milliseconds after which what a receiver does behind its answer should have been done, and between two looks. */
const EFFECT_TIME = 3_000;
const EFFECT_LOOK = 300;

/**
 * Tries a receiver with each case, one after the other. Where one brought it down for good, the others are not tried.
 * @throws SvcError `unreachable` when there was nobody to begin with
 */
export async function gradeReceiver(cases: readonly Case[], world: GradingWorld): Promise<readonly Grade[]> {
  await world.effects?.();
  const tried: (Observation | Grade)[] = [];
  let downed: string | undefined;
  for (const one of cases) {
    const lacks = one.lacks?.(world.means) ?? (downed && `nothing answers any more since ${downed}`);
    if (lacks) {
      tried.push(skippedGrade(one, lacks));
      continue;
    }
    world.begin?.(tried.length);
    const observation = await observe(one, world);
    const silent = observation.receipts.find(({ status }) => status === null);
    const isFirst = !tried.some((earlier) => 'receipts' in earlier);
    const isGone = silent !== undefined && !(await comesBack(world, isFirst ? 0 : COMEBACK));
    if (isGone && isFirst) throw absent(world.url, silent);
    if (isGone) downed = one.name;
    tried.push({ ...observation, isGone });
  }
  const effects = world.effects && downed === undefined ? await settledEffects(tried, world) : undefined;
  return tried.map((one) => ('receipts' in one ? verdictOn(one, effects) : one));
}

async function observe(one: Case, world: GradingWorld): Promise<Observation> {
  const shipments = one.send(world.make);
  const receipts: Receipt[] = [];
  for (const shipment of shipments) receipts.push(await ship(shipment, world));
  return { case: one, shipments, receipts, isGone: false };
}

async function ship(shipment: Shipment, { url, how, clock }: GradingWorld): Promise<Receipt> {
  const { id: _, event: __, manner, ...outgoing } = shipment;
  const { write, allowance, took } = sendingOf(manner, clock, how.signal);
  const options = { ...how, timeout: how.timeout + allowance, ...(write && { write }) };
  const receipt = await post({ ...outgoing, url }, options);
  return { ...receipt, milliseconds: Math.max(0, receipt.milliseconds - took()) };
}

/** Whether it answers anything, now or once somebody has started it again. */
async function comesBack(world: GradingWorld, patience: number): Promise<boolean> {
  const { clock, how } = world;
  const patient = { ...world, how: { ...how, timeout: Math.min(how.timeout, LOOK_TIME) } };
  const end = clock.now() + patience;
  for (;;) {
    if ((await ship(world.make(), patient)).status !== null) return true;
    if (clock.now() >= end) return false;
    await clock.sleep(LOOK, how.signal);
  }
}

function absent(url: URL, receipt: Receipt): SvcError {
  const reason = receipt.status === null ? receipt.error : 'it went away';
  return new SvcError('unreachable', `${url.href}: ${reason}`, { hint: 'is the receiver running there?' });
}

/** What these deliveries led to, as soon as everything that should have happened has, or the time for it is over. */
async function settledEffects(
  tried: readonly (Observation | Grade)[],
  { effects = async () => [], clock, how }: GradingWorld,
): Promise<readonly Effect[]> {
  const ids = tried.flatMap((one) =>
    'receipts' in one && EXPECTATIONS[one.case.expects].applied === 1 ? one.shipments.map(({ id }) => id) : [],
  );
  const end = clock.now() + EFFECT_TIME;
  for (;;) {
    await clock.sleep(EFFECT_LOOK, how.signal);
    const found = await effects();
    const seen = new Set(found.map(({ id }) => id));
    if (ids.every((id) => seen.has(id)) || clock.now() >= end) return found;
  }
}
