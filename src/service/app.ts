import type { Auth, Feature } from '../catalog/define.ts';
import { isHarmless } from '../catalog/harmless.ts';
import { shapeOf } from '../catalog/introspect.ts';
import { convertData, selectOperation } from '../catalog/select-operation.ts';
import type { Clock } from '../kernel/clock.ts';
import { once } from '../kernel/once.ts';
import { createTraceHeaders, formatTrace } from '../kernel/trace-parent.ts';
import { createAdmissionControl } from './admission.ts';
import {
  authenticate,
  checkAuthorizationHeader,
  readApiKeyHeader,
  requireCredentialHeaders,
} from './auth.ts';
import { findOrganizationId, readData } from './calls/body.ts';
import type { CallOf, FollowUp, FollowUps } from './calls/call.ts';
import { failureResponse, HEALTHY, successResponse } from './calls/envelope.ts';
import type { RequestHandler, ServiceRequest } from './calls/request.ts';
import { checkRecords, parseInput } from './calls/validate.ts';
import { locksOnlyRows } from './handlers/handler.ts';
import { createOperationRoutes, type ExecutableOperation, pathOfTarget } from './handlers/index.ts';
import type { FaultInjector } from './local/faults/fault-injector.ts';
import {
  type CallFacts,
  type CallLog,
  countRecords,
  withCallLog,
} from './local/requests/call-log.ts';
import type { DevelopmentState } from './local/state.ts';
import { badRequest, Refusal, readOnlyRefusal } from './store/refusal.ts';
import { limitStalls } from './store/stall-limit.ts';
import type { Database, Store, WriteScope } from './store/store.ts';
import { strictFailure } from './strict.ts';

export interface ServiceOptions {
  readonly without?: readonly Feature[];
  readonly rateLimit?: CallRate;
  /** Whether a bulk call fails with INTERNAL and `details` if some of its documents fail. */
  readonly strict?: boolean;
  /** Whether calls that write, or that hand out secrets, are refused. */
  readonly readOnly?: boolean;
}

export interface ServiceDependencies extends ServiceOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly report?: (error: unknown) => void;
  readonly callLog?: CallLog | undefined;
}

/** `clock` is the time of the service, as of the last read of `development`. */
interface AppDependencies extends ServiceDependencies {
  readonly development: DevelopmentState;
  readonly faults: FaultInjector;
}

export function createApp(given: AppDependencies, followUps: FollowUps): RequestHandler {
  const dependencies = { ...given, store: limitStalls(given.store) };
  const { store } = dependencies;
  // A remote database does the work itself.
  const isRemote = store.unansweredSince !== undefined;
  const perform = createPerformer(dependencies, followUps);
  const routes = createOperationRoutes();
  const admissionFor = createAdmissionControl(dependencies);
  const route = async (request: ServiceRequest, facts?: CallFacts) => {
    const { method, target } = request;
    const path = routes.has(target) ? target : pathOfTarget(target);
    if (path === '/healthz' && (method === 'GET' || method === 'HEAD')) return HEALTHY;
    const pathRoutes = routes.get(path);
    if (!pathRoutes)
      throw new Refusal('NOT_FOUND', `The embedded service has no operation at ${path}`);
    if (method !== 'POST') throw badRequest();
    checkAuthorizationHeader(request);
    const { auth, routes: candidates } = pathRoutes;
    // The body decides between several operations.
    if (facts && candidates.length === 1) facts.operation = candidates[0]?.name;
    requireCredentialHeaders(auth, request);
    const admission = admissionFor(auth, request);
    try {
      // The client may wait for an invitation, or need long to send the body.
      if (request.header('expect') !== undefined || request.isBodyPending)
        await admission.authenticate();
      const sent = await readData(request, admission);
      const selected = selectOperation(candidates, sent);
      if (!selected) throw badRequest();
      const executable = await selected.load();
      const data = convertData(executable.operation, path, sent);
      if (facts) {
        facts.operation = executable.name;
        facts.org = findOrganizationId(data);
      }
      const isLarge = admission.isAdmitted();
      if (isLarge) await admission.takeTurn(() => checkRecords(executable.operation, data));
      const run = (changed: ExecutableOperation) => {
        const performCall = () => perform(changed, request, { data, isLarge, facts });
        return isLarge && !isRemote ? admission.takeTurn(performCall) : performCall();
      };
      return await dependencies.faults.handle({ executable, data }, run, (fault) => {
        if (facts) facts.fault = fault;
      });
    } finally {
      admission.release();
    }
  };
  const handle = async (request: ServiceRequest, facts?: CallFacts) => {
    try {
      return await route(request, facts);
    } catch (error) {
      if (!(error instanceof Refusal)) dependencies.report?.(error);
      return failureResponse(error);
    }
  };
  const { callLog } = dependencies;
  return callLog ? withCallLog(handle, callLog) : (request) => handle(request);
}

const DISABLED_MESSAGES: Readonly<Record<Feature, string>> = {
  'advanced-queries': 'Advanced queries are not enabled for this workspace.',
  'advanced-webhooks': 'Advanced webhooks are not available for this workspace.',
};

interface CallContent {
  readonly data: unknown;
  /** Whether the body is so large that the call takes long. */
  readonly isLarge: boolean;
  readonly facts?: CallFacts | undefined;
}

/** Each call is a transaction, so a refused call changes nothing. */
function createPerformer(
  { store, clock, without = [], rateLimit, strict, readOnly, development }: AppDependencies,
  followUps: FollowUps,
) {
  const countCall = rateLimit && createRateLimiter(rateLimit);
  return async (
    executable: ExecutableOperation,
    request: ServiceRequest,
    { data, isLarge, facts }: CallContent,
  ) => {
    const { name, operation, handler } = executable;
    let pendingWork: FollowUp[] = [];
    const countOnce = countCall && once(countCall);
    const run = async (database: Database) => {
      pendingWork = [];
      await development.current(database);
      const after = (work: FollowUp) => void pendingWork.push(work);
      const call = await authenticate(operation.auth, request, {
        database,
        now: clock.now(),
        after,
        trace: readTrace(request),
      });
      countOnce?.(call);
      const { message, feature } = operation;
      if (readOnly && !isHarmless(operation)) throw readOnlyRefusal();
      if (feature && without.includes(feature))
        throw new Refusal('FAILED_PRECONDITION', DISABLED_MESSAGES[feature]);
      const input = parseInput(operation, data, clock.now());
      const result = await handler(call, input);
      if (facts) Object.assign(facts, countRecords(operation, input, result));
      const failed = strict ? strictFailure(name, input, result) : undefined;
      // The text of a long response is created when others can already use the store.
      return () =>
        failed
          ? failureResponse(failed)
          : successResponse(typeof message === 'string' ? message : message(input), result);
    };
    const isRead = operation.effect === 'read';
    const createResponse = await (isRead
      ? store.read(run)
      : store.write(run, scopeOf(executable, request, { data, isLarge })));
    followUps.start(pendingWork);
    return createResponse();
  };
}

/** Writes without an API key may change any data. */
function scopeOf(
  { operation: { auth, input }, handler }: ExecutableOperation,
  request: ServiceRequest,
  { data, isLarge }: CallContent,
): WriteScope | undefined {
  const apiKey = readApiKeyHeader(auth, request);
  if (apiKey === undefined) return undefined;
  const hasOrganization = 'organizationId' in shapeOf(input);
  return {
    apiKey,
    organizationId: hasOrganization ? findOrganizationId(data) : undefined,
    isLarge,
    locksOnlyRows: locksOnlyRows(handler),
  };
}

function readTrace(request: ServiceRequest): string | null {
  const [parent, state] = [request.header('traceparent'), request.header('tracestate')];
  return parent === undefined ? null : formatTrace(createTraceHeaders(parent, state));
}

interface CallRate {
  readonly calls: number;
  /** In milliseconds. */
  readonly window: number;
}

/**
 * The first call of a credential starts a window, and the first call after the window starts the
 * next.
 */
function createRateLimiter({ calls, window }: CallRate): (call: CallOf<Auth>) => void {
  const windows = new Map<string, { readonly end: number; count: number }>();
  return (call) => {
    // All calls without credentials share a limit.
    const credential =
      'apiKey' in call
        ? `key ${call.apiKey}`
        : 'workspaceId' in call
          ? `workspace ${call.workspaceId}`
          : '';
    const known = windows.get(credential);
    // If a window starts in the future, the clock was changed.
    const isOpen = known && call.now < known.end && call.now >= known.end - window;
    const current = isOpen ? known : { end: call.now + window, count: 0 };
    windows.set(credential, current);
    if (current.count >= calls)
      throw new Refusal('RESOURCE_EXHAUSTED', 'Rate limit exceeded. Try again after 1 minute.');
    current.count++;
  };
}
