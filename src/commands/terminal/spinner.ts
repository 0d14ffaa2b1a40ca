import type { CalledOperation, Client } from '../../client/client.ts';
import { monotonicNow } from '../../kernel/clock.ts';
import type { Context } from '../context.ts';
import { progressStyle } from './terminal.ts';

const SPINNER_DELAY = { bar: 500, lines: 3_000 };
/** Longest pause between two tasks, such as the pages of a list, that are one wait for the user. */
const MAX_GAP = 100;

export function addSpinner(client: Client, context: Context, host: string): Client {
  const runWithSpinner = createSpinner(context);
  if (!runWithSpinner) return client;
  const during = async <Reply>(
    operation: CalledOperation,
    call: () => Promise<Reply>,
  ): Promise<Reply> => {
    // Prompts must not overlap with the spinner.
    if (operation.effect !== 'read') await client.ensureWritesAllowed();
    return runWithSpinner(
      `${operation.command?.join(' ') ?? operation.path}: waiting for ${host}`,
      call,
    );
  };
  return {
    ...client,
    call: (operation, input) => during(operation, () => client.call(operation, input)),
    send: (operation, data) => during(operation, () => client.send(operation, data)),
    sendText: (operation, dataText, ids) =>
      during(operation, () => client.sendText(operation, dataText, ids)),
  };
}

export async function withSpinner<Value>(
  context: Context,
  text: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const runWithSpinner = createSpinner(context);
  return runWithSpinner ? runWithSpinner(text, work) : work();
}

/**
 * Creates a function that shows one spinner during all tasks. Undefined without a terminal or with
 * `--quiet`.
 */
function createSpinner(context: Context) {
  const style = progressStyle(context);
  if (style === 'none' || !context.io.stderr.isTerminal) return undefined;
  const { clock, progress } = context;
  let running = 0;
  let busySince = 0;
  let endedAt = Number.NEGATIVE_INFINITY;
  let ended = new AbortController();
  let shown: ReturnType<typeof show>;
  const show = async (
    text: string,
    signal: AbortSignal,
  ): Promise<(() => Promise<void>) | undefined> => {
    const delay = Math.max(0, busySince + SPINNER_DELAY[style] - monotonicNow(clock));
    await clock.sleep(delay, signal).catch(() => undefined);
    if (signal.aborted) return undefined;
    const display = await progress();
    return signal.aborted ? undefined : display.showActivity(text);
  };
  return async <Value>(text: string, work: () => Promise<Value>): Promise<Value> => {
    running += 1;
    if (running === 1) {
      const now = monotonicNow(clock);
      if (now - endedAt > MAX_GAP) busySince = now;
      ended = new AbortController();
      shown = show(text, ended.signal);
    }
    try {
      return await work();
    } finally {
      running -= 1;
      if (running === 0) {
        endedAt = monotonicNow(clock);
        ended.abort();
        await (await shown)?.();
      }
    }
  };
}
