import type { Status } from '../../catalog/statuses.ts';
import { type Failure, SvcError } from '../../kernel/errors.ts';
import { isSameSecret } from '../../kernel/same-secret.ts';
import { readJson } from '../calls/body.ts';
import { failureResponse, type ServiceResponse } from '../calls/envelope.ts';
import type { RequestHandler, ServiceRequest } from '../calls/request.ts';
import { Refusal } from '../store/refusal.ts';

export interface AdminRequest {
  /** Decoded values of the `<…>` path segments, in order. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Handles a request, and returns a value to send as JSON.
 * @throws Refusal or SvcError, which become error responses
 */
export type AdminRoute = (request: AdminRequest) => Promise<unknown>;
/** Handlers by method and path: `GET /_svc/clock`, `GET /_svc/requests/<id>`. */
export type AdminRoutes = Readonly<Record<string, AdminRoute>>;
/** Routes that require no token, for responses that contain no data. */
export type PublicRoutes = Readonly<
  Record<string, (request: AdminRequest) => Promise<ServiceResponse>>
>;

interface AdminOptions {
  readonly token: string;
  readonly routes: AdminRoutes;
  readonly publicRoutes?: PublicRoutes;
  readonly report?: (error: unknown) => void;
}

export function isAdminTarget(target: string): boolean {
  return target.startsWith('/_svc/');
}

/**
 * Creates the handler for requests under `/_svc/`. The server must check the Host and Origin
 * headers first.
 */
export function createAdmin({
  token,
  routes,
  publicRoutes = {},
  report,
}: AdminOptions): RequestHandler {
  const handle = async (request: ServiceRequest): Promise<ServiceResponse> => {
    const { pathname, searchParams: query } = new URL(request.target, 'http://localhost');
    const name = `${request.method} ${pathname}`;
    const page = findRoute(publicRoutes, name);
    if (page) return page.handler({ segments: page.segments, query, body: {} });
    const [, given = ''] = /^bearer +(.+)$/i.exec(request.header('authorization') ?? '') ?? [];
    if (!isSameSecret(given, token))
      throw new Refusal('UNAUTHENTICATED', 'The admin token is missing or wrong.');
    const found = findRoute(routes, name);
    if (!found) throw new Refusal('NOT_FOUND', 'Not Found');
    const body = request.method === 'POST' ? await readJson(request) : {};
    return {
      status: 200,
      body: JSON.stringify(await found.handler({ segments: found.segments, query, body })),
    };
  };
  return async (request) => {
    try {
      const response = await handle(request);
      return { ...response, headers: { ...NO_STORE, ...response.headers } };
    } catch (error) {
      const refusal = error instanceof SvcError ? toRefusal(error) : error;
      if (!(refusal instanceof Refusal)) report?.(refusal);
      return { ...failureResponse(refusal), headers: NO_STORE };
    }
  };
}

const NO_STORE = { 'cache-control': 'no-store' };

function findRoute<Handler>(routes: Readonly<Record<string, Handler>>, name: string) {
  for (const [pattern, handler] of Object.entries(routes)) {
    const [expected, given] = [pattern.split('/'), name.split('/')];
    const isMatch = (part: string, at: number) =>
      part === given[at] || (isPlaceholder(part) && given[at] !== '');
    if (expected.length !== given.length || !expected.every(isMatch)) continue;
    return {
      handler,
      segments: given.filter((_, at) => isPlaceholder(expected[at] ?? '')).map(decodeSegment),
    };
  }
  return undefined;
}

const isPlaceholder = (part: string) => part.startsWith('<');

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal('INVALID_ARGUMENT', 'Bad Request');
  }
}

const STATUSES: Partial<Record<Failure, Status>> = {
  usage: 'INVALID_ARGUMENT',
  invalid_input: 'INVALID_ARGUMENT',
  not_found: 'NOT_FOUND',
  already_exists: 'ALREADY_EXISTS',
  failed_precondition: 'FAILED_PRECONDITION',
  locked: 'UNAVAILABLE',
  unreachable: 'DEADLINE_EXCEEDED',
};

function toRefusal(error: SvcError): unknown {
  const { failure, message, hint } = error;
  const status = STATUSES[failure];
  return status ? new Refusal(status, message, hint === undefined ? undefined : { hint }) : error;
}
