import { commandArguments } from '../../catalog/command-text.ts';
import type { Operation, Wait } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { getEntry } from '../../catalog/manifest.ts';
import type { CallOutcome, CallResult } from '../../client/client.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/json.ts';
import type { Context } from '../context.ts';

/** Pause between polls, in milliseconds: minimum, maximum, and growth factor. */
const MIN_POLL_PAUSE = 500;
const MAX_POLL_PAUSE = 10_000;
const PAUSE_GROWTH = 1.5;

/**
 * Makes the call, waits for the task, and prints its final state.
 * @throws SvcError `records_failed` if it failed
 */
export async function runAndWait(
  context: Context,
  { command, wait }: { readonly command: readonly string[]; readonly wait: Wait },
  operation: Operation,
  input: Fields,
): Promise<void> {
  const [client, printer] = await Promise.all([context.client(), context.printer()]);
  const first = await client.call(operation, input);
  if (!first.sent) return;
  const entry = getEntry(wait.status);
  const status = await loadOperation(entry.resource, entry.name);
  const known: Fields = { ...input, ...Object(first.data) };
  const query = Object.fromEntries(wait.inputFields.map((field) => [field, known[field]]));
  const missing = wait.inputFields.find((field) => query[field] === undefined);
  if (missing !== undefined) {
    throw new SvcError(
      'outcome_unknown',
      `${command.join(' ')} was started, but the response has no ${missing}`,
      {
        hint: 'svc cannot wait for the task; check its result yourself',
      },
    );
  }
  const resumeHint = hint`to resume waiting, run ${step('resume', ...commandArguments(entry, query), '--wait')}`;
  const task: PolledTask = {
    name: command.join(' '),
    poll: () => client.call(status, query),
    readState: (response) => readState(wait, response),
    stateName: wait.state,
  };
  const last = await pollUntilEnd(context, task, first).catch((error: unknown) => {
    throw error instanceof SvcError ? error.reworded({ hint: resumeHint }) : error;
  });
  const { envelope, quiet } = context.options;
  if (quiet && status.quietValue) await printer.line(status.quietValue(last.data));
  else await printer.value(envelope ? last.result : last.data, {});
  if (readState(wait, last)?.end === 'failed') {
    throw new SvcError(
      'records_failed',
      `${command.join(' ')} failed (${wait.state}: ${wait.failed})`,
      {
        hint: 'the service gave no reason; check that the source of the move exists',
      },
    );
  }
}

export interface TaskState {
  readonly text: string;
  /** Set if the task has ended. */
  readonly end?: 'succeeded' | 'failed' | undefined;
}

export interface PolledTask {
  readonly name: string;
  readonly poll: () => Promise<CallOutcome<unknown>>;
  readonly readState: (response: CallResult<unknown>) => TaskState | undefined;
  /** Name of the state for the error of a response without it. */
  readonly stateName: string;
}

/**
 * Polls a task until it ends, and shows its state.
 * @param first the response that started the task, if it contains the state
 * @returns the last response
 */
export async function pollUntilEnd(
  context: Context,
  { name, poll, readState, stateName }: PolledTask,
  first?: CallResult<unknown>,
): Promise<CallResult<unknown>> {
  const { clock, signal } = context;
  const progress = await context.progress();
  let state = first && readState(first);
  if (first && state?.end) return first;
  let shownText = '';
  let end: (() => Promise<void>) | undefined;
  try {
    for (let pause = MIN_POLL_PAUSE; ; pause = Math.min(MAX_POLL_PAUSE, pause * PAUSE_GROWTH)) {
      const text = `${name}: ${state?.text ?? 'started'}`;
      if (text !== shownText) {
        await end?.();
        end = progress.showActivity(text);
        shownText = text;
      }
      await clock.sleep(pause, signal);
      const reply = await poll();
      if (!reply.sent) continue;
      state = readState(reply);
      if (!state)
        throw new SvcError('invalid_response', `the response has no ${stateName}`, {
          hint: 'try again later',
        });
      if (state.end) return reply;
    }
  } finally {
    await end?.();
  }
}

function readState(
  { state, succeeded, failed }: Wait,
  { data }: CallResult<unknown>,
): TaskState | undefined {
  const text: unknown = Object(data)[state];
  if (typeof text !== 'string') return undefined;
  return { text, end: text === succeeded ? 'succeeded' : text === failed ? 'failed' : undefined };
}
