import { commandWords } from '../../catalog/command-text.ts';
import type { Operation, Wait } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { entryNamed } from '../../catalog/manifest.ts';
import type { Answer, Client } from '../../client/client.ts';
import { SvcError } from '../../kernel/errors.ts';
import { hint, step } from '../../kernel/hint.ts';
import type { Context } from '../context.ts';

/** An operation whose call starts something that takes its time. */
export interface Started {
  readonly command: readonly string[];
  readonly wait: Wait;
  readonly operation: Operation;
}

type Fields = Readonly<Record<string, unknown>>;

/** Milliseconds between two looks at the state: the first time, and at most; in between they grow. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;
const GROWTH = 1.5;

/**
 * Makes the call, waits for the end of what it started, and prints the last state.
 * @throws SvcError `some_failed` when it ended badly; whatever else ends the waiting says how to go on with it.
 */
export async function runAndWait(context: Context, started: Started, input: Fields): Promise<void> {
  const [client, printer] = await Promise.all([context.client(), context.printer()]);
  const first = await client.call(started.operation, input);
  if (!first.sent) return;
  const { wait, command } = started;
  const entry = entryNamed(wait.status);
  const status = await loadOperation(entry.resource, entry.name);
  const known: Fields = { ...input, ...Object(first.data) };
  const asked = Object.fromEntries(wait.by.map((field) => [field, known[field]]));
  const lacking = wait.by.find((field) => asked[field] === undefined);
  if (lacking !== undefined) {
    throw new SvcError('outcome_unknown', `${command.join(' ')} was started, and the answer lacks the ${lacking}`, {
      hint: 'its end cannot be waited for: look whether it came about',
    });
  }
  const goOn = hint`go on with: ${step('resume', ...commandWords(entry, asked), '--wait')}`;
  const last = await untilEnd(context, client, started, { first, status, asked }).catch((error: unknown) => {
    throw error instanceof SvcError ? error.told({ hint: goOn }) : error;
  });
  const { envelope, quiet } = context.options;
  if (quiet && status.bare) await printer.bare(status.bare(last.data));
  else await printer.value(envelope ? last.result : last.data, {});
  if (stateOf(wait, last) === wait.failed) {
    throw new SvcError('some_failed', `${command.join(' ')} ended as ${wait.failed}`, {
      hint: 'the service gives no reason; check that what was to be moved is there',
    });
  }
}

interface Question {
  readonly first: Answer<unknown>;
  readonly status: Operation;
  readonly asked: Fields;
}

async function untilEnd(
  context: Context,
  client: Client,
  { command, wait }: Started,
  { first, status, asked }: Question,
): Promise<Answer<unknown>> {
  const { clock, signal } = context;
  const progress = await context.progress();
  let answer = first;
  let said = '';
  let end: (() => Promise<void>) | undefined;
  try {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, pause * GROWTH)) {
      const state = stateOf(wait, answer);
      if (state === wait.succeeded || state === wait.failed) return answer;
      const text = `${command.join(' ')}: ${state ?? 'started'}`;
      if (text !== said) {
        await end?.();
        end = progress.busy(text);
        said = text;
      }
      await clock.sleep(pause, signal);
      const reply = await client.call(status, asked);
      if (reply.sent) answer = reply;
      if (stateOf(wait, answer) === undefined) {
        throw new SvcError('unusable_answer', `the service says nothing of its ${wait.state}`, { hint: 'try again' });
      }
    }
  } finally {
    await end?.();
  }
}

function stateOf({ state }: Wait, { data }: Answer<unknown>): string | undefined {
  const value: unknown = Object(data)[state];
  return typeof value === 'string' ? value : undefined;
}
