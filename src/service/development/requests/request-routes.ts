import { parseDurationFlag } from '../../../kernel/duration.ts';
import { SvcError } from '../../../kernel/errors.ts';
import { isObject } from '../../../kernel/json.ts';
import type { AdminRoutes } from '../admin.ts';
import { withoutBodies } from './record.ts';
import type { RequestLog, WaitOptions } from './request-log.ts';
import type { RequestDetail } from './request-record.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1_000;

export function createRequestRoutes({
  requests,
}: {
  readonly requests: RequestLog | undefined;
}): AdminRoutes {
  if (!requests) return {};
  return {
    'GET /_svc/requests': async ({ query }) => {
      const limit = Math.min(parseCount('limit', query.get('limit')) ?? DEFAULT_LIMIT, MAX_LIMIT);
      const filter = {
        on: query.get('on') ?? undefined,
        after: parseCount('after', query.get('after')),
        limit,
      };
      return { requests: requests.list(filter).map(withoutBodies) };
    },
    'GET /_svc/requests/<id>': async ({ segments: [id = ''] }): Promise<RequestDetail> => {
      const found = /^\d{1,15}$/.test(id) ? requests.find(Number(id)) : undefined;
      if (found) return found;
      throw new SvcError('not_found', `request '${id}' not found`);
    },
    'POST /_svc/requests': async ({ body: { wait } }) => ({
      requests: await requests.wait(parseWait(wait)),
    }),
  };
}

function parseCount(name: string, text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new SvcError('usage', `${name} must be a whole number, got '${text}'`);
}

function parseWait(wait: unknown): WaitOptions {
  if (!isObject(wait))
    throw new SvcError(
      'usage',
      'the body must contain the field wait, such as {"wait":{"count":3}}',
    );
  const { on, count, timeout } = wait;
  return {
    on: on === undefined ? undefined : parseText('on', on),
    count: count === undefined ? undefined : parseCount('count', JSON.stringify(count)),
    timeout:
      typeof timeout === 'number' || timeout === undefined
        ? timeout
        : parseDurationFlag('timeout', parseText('timeout', timeout)),
  };
}

function parseText(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new SvcError('usage', `${name} must be text, got ${JSON.stringify(value)}`);
}
