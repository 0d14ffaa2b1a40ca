import type { StopReason } from '../../bulk/batch-request.ts';
import type { BulkSummary } from '../../bulk/summary.ts';
import { type Hint, hint, type NextStep, SvcError } from '../../kernel/errors.ts';
import { groupDigits, pluralize } from '../../kernel/plural.ts';
import { createResumeHint } from './open-job.ts';
import { createWriteError, describeUnknownWrite, type RecordWrite } from './record-write.ts';

interface JobEnd {
  readonly noun: string;
  readonly stop: StopReason | undefined;
  readonly resumable: boolean;
  /** Whether the rejects could not be written, so that a resumed job needs another path for them. */
  readonly needsRejectsPath?: boolean;
  /** An input without which the job cannot be resumed. */
  readonly lostInput?: string | undefined;
  /** Command that sends the rejects, or the same records if there is no rejects file. */
  readonly followUp?: NextStep | undefined;
  /** Whether `followUp` creates the organizations without which every record failed. */
  readonly createsOrganizations?: boolean;
  /** Whether the rejects went to a device or a pipe, from which svc cannot read them. */
  readonly areRejectsStreamed?: boolean;
  readonly single?: RecordWrite | undefined;
}

/**
 * Creates the most severe error that applies to a run. Returns `undefined` if every record
 * succeeded.
 */
export function createJobError(
  summary: BulkSummary,
  {
    noun,
    stop,
    resumable,
    needsRejectsPath = false,
    lostInput,
    followUp,
    createsOrganizations = false,
    areRejectsStreamed = false,
    single,
  }: JobEnd,
): unknown {
  const { total, failed, unknown, existing = 0 } = summary;
  const skipped = summary.skipped - existing;
  const ofTotal = `of ${groupDigits(total)} ${total === 1 ? noun : pluralize(noun)}`;
  const nextStep = resumable
    ? withCondition(createResumeHint(summary.job, lostInput, needsRejectsPath), stop)
    : areRejectsStreamed
      ? 'fix the rejects and send them again'
      : createsOrganizations && followUp
        ? hint`to create the organizations, run ${followUp}`
        : followUpHint(summary, followUp);
  if (unknown > 0) {
    const [first] = summary.failures.filter(({ code }) => code === 'outcome_unknown');
    const reason = first?.message ? `: ${first.message}` : '';
    const outcome = single
      ? describeUnknownWrite(single)
      : `${groupDigits(unknown)} ${ofTotal} may or may not have been applied`;
    return new SvcError('outcome_unknown', outcome + reason, { hint: nextStep });
  }
  const unsent = `${groupDigits(skipped)} ${ofTotal} not sent`;
  switch (stop?.kind) {
    case 'broken':
      return skipped > 0
        ? withUnsentCount(stop.error, unsent, nextStep)
        : stop.error.reworded({ hint: nextStep });
    case 'signal':
      return stop.reason instanceof SvcError
        ? withUnsentCount(stop.reason, unsent, nextStep)
        : stop.reason;
    case 'fatal':
      if (stop.error.failure === 'local') return withUnsentCount(stop.error, unsent, nextStep);
      return new SvcError('stopped', `stopped with ${unsent}: ${stop.error.message}`, {
        hint: withWait(nextStep, stop.error),
        cause: stop.error,
        details: stop.error.details,
        ...(stop.error.status && { status: stop.error.status }),
        // Neither a retry nor a resumed job helps against a quota.
        ...(stop.error.failure === 'resource_exhausted' && { retryable: stop.error.retryable }),
      });
    case 'errors': {
      const failures = `${failed} ${failed === 1 ? 'failure' : 'failures'}`;
      return new SvcError('stopped', `stopped after ${failures}, with ${unsent}`, {
        hint: nextStep,
      });
    }
    case undefined:
      if (single && failed > 0) {
        const [failure = { message: null, code: null }] = summary.failures;
        return createWriteError(single, failure, summary.rejects === null ? undefined : nextStep);
      }
      return failed > 0
        ? new SvcError('records_failed', `${groupDigits(failed)} ${ofTotal} failed`, {
            hint: nextStep,
          })
        : undefined;
  }
}

/** Adds what must change first, if the service would reject the next request of the job too. */
function withCondition(nextStep: Hint, stop: StopReason | undefined): Hint {
  if (stop?.kind !== 'fatal') return nextStep;
  const { failure, retryable } = stop.error;
  if (failure === 'resource_exhausted' && !retryable)
    return hint`wait until the service allows more; ${nextStep}`;
  if (failure === 'permission_denied')
    return hint`grant the credential this permission; ${nextStep}`;
  if (failure === 'unauthenticated') return hint`renew the credential; ${nextStep}`;
  return nextStep;
}

/** Adds how long to wait for a rate limit to the hint that resumes the job. */
function withWait(nextStep: string | Hint, { failure, retryable, hint: wait }: SvcError) {
  return failure === 'resource_exhausted' && retryable && wait !== undefined
    ? hint`${nextStep}; ${wait}`
    : nextStep;
}

function withUnsentCount(error: SvcError, unsent: string, nextStep: string | Hint): SvcError {
  return error.reworded({ message: `${error.message}, ${unsent}`, hint: nextStep });
}

function followUpHint(
  { rejects, failed, unknown, failures: [first] }: BulkSummary,
  followUp?: NextStep,
) {
  if (rejects === null && failed > 0) return 'fix the input and try again';
  if (rejects === null && followUp !== undefined) return hint`repeating it is safe: ${followUp}`;
  // The generated ID must be reused; otherwise, the record would be written twice.
  if (rejects === null)
    return `try again${first && unknown === 1 ? ` with the same ID: ${first.id}` : ''}`;
  const command = followUp ?? `the same command with --file ${rejects}`;
  if (failed === 0) return hint`to retry, run ${command}`;
  return hint`fix ${rejects} (reasons: ${rejects}.reasons.ndjson), then run: ${command}`;
}
