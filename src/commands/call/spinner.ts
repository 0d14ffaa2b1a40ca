import type { CalledOperation, Client } from '../../client/client.ts';
import type { Context } from '../context.ts';
import { progressStyle } from '../terminal/terminal.ts';

/** Delay in milliseconds before a spinner, or a line of text in plain mode, is shown. */
const SPINNER_DELAY = { bar: 500, lines: 3_000 };

/** Wraps a client to show a spinner on the terminal while a response is slow. */
export function addSpinner(client: Client, context: Context, host: string): Client {
  const spinner = spinnerFor(context);
  if (!spinner) return client;
  const during = async <Reply>(operation: CalledOperation, call: () => Promise<Reply>): Promise<Reply> => {
    // Confirmation prompts come before the spinner.
    if (operation.effect !== 'read') await client.ensureWritesAllowed();
    return spinner.runWith(`${operation.command?.join(' ') ?? operation.path}: waiting for ${host}`, call);
  };
  return {
    ...client,
    call: (operation, input) => during(operation, () => client.call(operation, input)),
    send: (operation, data) => during(operation, () => client.send(operation, data)),
    sendText: (operation, dataText, ids) => during(operation, () => client.sendText(operation, dataText, ids)),
  };
}

/** Shows a spinner with the text while `work` runs. */
export async function withSpinner<Value>(context: Context, text: string, work: () => Promise<Value>): Promise<Value> {
  const spinner = spinnerFor(context);
  return spinner ? spinner.runWith(text, work) : work();
}

/** Returns undefined without a terminal and with `--quiet`. */
function spinnerFor(context: Context): Spinner | undefined {
  const style = progressStyle(context);
  return style === 'none' || !context.io.stderr.isTerminal ? undefined : new Spinner(context, SPINNER_DELAY[style]);
}

/** Shows a spinner while at least one task is running. */
class Spinner {
  readonly #context: Context;
  readonly #delay: number;
  #activeCount = 0;
  #ended = new AbortController();
  #shown: Promise<(() => Promise<void>) | undefined> = Promise.resolve(undefined);

  constructor(context: Context, delay: number) {
    this.#context = context;
    this.#delay = delay;
  }

  /** Runs the task. Resolves after the spinner is cleared. */
  async runWith<Value>(text: string, work: () => Promise<Value>): Promise<Value> {
    this.#begin(text);
    try {
      return await work();
    } finally {
      await this.#end();
    }
  }

  #begin(text: string): void {
    this.#activeCount += 1;
    if (this.#activeCount > 1) return;
    this.#ended = new AbortController();
    this.#shown = this.#show(text, this.#ended.signal);
  }

  async #end(): Promise<void> {
    this.#activeCount -= 1;
    if (this.#activeCount > 0) return;
    this.#ended.abort();
    const end = await this.#shown;
    await end?.();
  }

  async #show(text: string, ended: AbortSignal): Promise<(() => Promise<void>) | undefined> {
    const { clock, progress } = this.#context;
    await clock.sleep(this.#delay, ended).catch(() => undefined);
    if (ended.aborted) return undefined;
    const shown = await progress();
    return ended.aborted ? undefined : shown.showActivity(text);
  }
}
