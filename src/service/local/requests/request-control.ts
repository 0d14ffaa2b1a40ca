import { parseDurationFlag } from '../../../kernel/duration.ts';
import { hint, SvcError, step } from '../../../kernel/errors.ts';
import { Refusal } from '../../store/refusal.ts';
import type { AdminHandlers } from '../handler.ts';
import { withoutBodies } from './record.ts';
import type { RequestLog } from './request-log.ts';

export interface RequestContext {
  /** Undefined if requests are not logged. */
  readonly requests: Pick<RequestLog, 'list' | 'find' | 'wait'> | undefined;
}

export const requests: AdminHandlers<'requests', RequestContext> = {
  'local.requests.list': async (context, filter) => ({
    requests: requireLog(context).list(filter).map(withoutBodies),
  }),
  'local.requests.show': async (context, { id }) => {
    const log = requireLog(context);
    const found = /^\d{1,15}$/.test(id) ? log.find(Number(id)) : undefined;
    if (found) return found;
    throw new SvcError('not_found', `request '${id}' not found`, {
      hint: hint`to list the requests, run ${step('list', 'local', 'requests', 'list')}`,
    });
  },
  'local.requests.wait': async (context, { wait: { timeout, ...options } }) => {
    const milliseconds =
      typeof timeout === 'string' ? parseDurationFlag('timeout', timeout) : timeout;
    return { requests: await requireLog(context).wait({ ...options, timeout: milliseconds }) };
  },
};

function requireLog({ requests: log }: RequestContext) {
  if (log) return log;
  throw new Refusal('NOT_FOUND', 'Not Found');
}
