import type { StopReason } from '../../bulk/batch-request.ts';
import type { BulkSummary } from '../../bulk/summary.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { groupDigits, pluralize } from '../../kernel/plural.ts';
import { ORGANIZATION } from './dossier-operation.ts';

const MAX_NAMED = 3;

/** Creates the error of a run. Returns `undefined` if every organization was read to its end. */
export function createDossierError(
  { job, total, succeeded, failed, failures }: BulkSummary,
  stop: StopReason | undefined,
): unknown {
  const isRejected = stop?.kind === 'fatal' && stop.error.failure === 'unauthenticated';
  const next = hint`${isRejected ? 'renew the auth token; ' : ''}to resume, run ${step('resume', 'jobs', 'resume', job)}`;
  const ofTotal = `of ${groupDigits(total)} ${total === 1 ? ORGANIZATION : pluralize(ORGANIZATION)}`;
  const unread = `${groupDigits(total - succeeded)} ${ofTotal} not read`;
  if (stop?.kind === 'signal')
    return stop.reason instanceof SvcError
      ? stop.reason.reworded({ message: `${stop.reason.message}, ${unread}`, hint: next })
      : stop.reason;
  if (stop?.kind === 'broken') {
    const { message } = stop.error;
    return stop.error.reworded({
      message: total > succeeded ? `${message}, ${unread}` : message,
      hint: next,
    });
  }
  if (failed === 0) return undefined;
  const named = failures
    .slice(0, MAX_NAMED)
    .map(({ id, message, code }) => `${quoteId(id)}: ${message}${statusOf(code)}`);
  const others = failed > MAX_NAMED ? `; and ${groupDigits(failed - MAX_NAMED)} more` : '';
  const left = total - succeeded - failed;
  const notTried = left > 0 ? `, and left ${groupDigits(left)}` : '';
  return new SvcError(
    'stopped',
    `could not read ${groupDigits(failed)} ${ofTotal}${notTried}: ${named.join('; ')}${others}`,
    {
      hint: next,
      ...(stop?.kind === 'fatal' && { cause: stop.error }),
    },
  );
}

/** Returns the status of the service in brackets; nothing for a failure that svc found itself. */
function statusOf(code: string | null): string {
  return code !== null && /^[A-Z]/.test(code) ? ` (${code})` : '';
}
