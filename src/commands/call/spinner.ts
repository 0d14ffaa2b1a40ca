import type { CalledOperation, Client } from '../../client/client.ts';
import type { Context } from '../context.ts';
import { progressStyle } from '../terminal/terminal.ts';

const SPINNER_DELAY = { bar: 500, lines: 3_000 };

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
  let ended = new AbortController();
  let shown: ReturnType<typeof show>;
  const show = async (
    text: string,
    signal: AbortSignal,
  ): Promise<(() => Promise<void>) | undefined> => {
    await clock.sleep(SPINNER_DELAY[style], signal).catch(() => undefined);
    if (signal.aborted) return undefined;
    const display = await progress();
    return signal.aborted ? undefined : display.showActivity(text);
  };
  return async <Value>(text: string, work: () => Promise<Value>): Promise<Value> => {
    running += 1;
    if (running === 1) {
      ended = new AbortController();
      shown = show(text, ended.signal);
    }
    try {
      return await work();
    } finally {
      running -= 1;
      if (running === 0) {
        ended.abort();
        await (await shown)?.();
      }
    }
  };
}
