import type { Feature } from '../catalog/define.ts';
import type { Clock } from '../kernel/clock.ts';
import { once } from '../kernel/once.ts';
import { admissions } from './admission.ts';
import { authenticate, checkAuthorization, checkStated, statedKey } from './auth.ts';
import { readData } from './body.ts';
import { type Answer, failure, success } from './envelope.ts';
import { requireFeature } from './features.ts';
import type { FollowUp, FollowUps } from './follow-ups.ts';
import { type Rate, rateLimiter } from './rate-limit.ts';
import { badRequest, Refusal } from './refusal.ts';
import type { Answerer, ServiceRequest } from './request.ts';
import { chosenRoute, type Performable, pathOf, routesByPath } from './routes.ts';
import type { Database, Store } from './store/store.ts';
import { strictFailure } from './strict.ts';
import { checkRecords, validInput } from './validate.ts';

/** How the service as a whole differs from its usual self. */
export interface Switches {
  /** Features that it does not have. */
  readonly without?: readonly Feature[];
  readonly rateLimit?: Rate;
  /** It answers a bulk call with INTERNAL and `details` when some of its documents fail. */
  readonly strict?: boolean;
}

export interface ServiceWorld extends Switches {
  readonly store: Store;
  readonly clock: Clock;
  /** Told of what the caller is not: the errors behind INTERNAL answers, and those of work after an answer. */
  readonly report?: (error: unknown) => void;
}

/** Answers each path of the catalog, and a sign of life. Every answer but that one is an envelope. */
export function createApp(world: ServiceWorld, later: FollowUps): Answerer {
  const perform = performer(world, later);
  const routes = routesByPath();
  const admissionOf = admissions(world);
  const answer: Answerer = async (request) => {
    const { method, target } = request;
    const path = routes.has(target) ? target : pathOf(target);
    if (path === '/healthz' && (method === 'GET' || method === 'HEAD')) return SIGN_OF_LIFE;
    const onPath = routes.get(path);
    if (!onPath) throw new Refusal('NOT_FOUND', 'Not Found');
    if (method !== 'POST') throw badRequest();
    checkAuthorization(request);
    const { auth } = onPath;
    checkStated(auth, request);
    const admission = admissionOf(auth, request);
    try {
      const data = await readData(request, admission.admit);
      const performable = await chosenRoute(onPath.routes, data).load();
      if (admission.isGiven) await checkRecords(performable.operation, data);
      return await perform(performable, request, data);
    } finally {
      admission.end();
    }
  };
  return async (request) => {
    try {
      return await answer(request);
    } catch (error) {
      if (!(error instanceof Refusal)) world.report?.(error);
      return failure(error);
    }
  };
}

const SIGN_OF_LIFE: Answer = { status: 200, body: '{"status":"ok"}' };

/** Performs calls, each in one transaction: a call that is refused leaves nothing behind. */
function performer({ store, clock, without = [], rateLimit, strict }: ServiceWorld, later: FollowUps) {
  const count = rateLimit && rateLimiter(rateLimit);
  return async ({ name, operation, handler }: Performable, request: ServiceRequest, data: unknown) => {
    let left: FollowUp[] = [];
    const countOnce = count && once(count);
    const run = async (database: Database) => {
      left = [];
      const after = (work: FollowUp) => void left.push(work);
      const call = await authenticate(operation.auth, request, { database, now: clock.now(), after });
      countOnce?.(call);
      requireFeature(operation.feature, without);
      const input = validInput(operation, data, clock.now());
      const { message } = operation;
      const reply = await handler(call, input);
      const failed = strict ? strictFailure(name, input, reply) : undefined;
      return failed ? failure(failed) : success(typeof message === 'string' ? message : message(input), reply);
    };
    const isRead = operation.effect === 'read';
    const answer = await (isRead ? store.read(run) : store.write(run, statedKey(operation.auth, request)));
    later.start(left);
    return answer;
  };
}
