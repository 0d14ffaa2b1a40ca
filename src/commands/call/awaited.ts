import type { CalledOperation, Client } from '../../client/client.ts';
import type { Context } from '../context.ts';
import { progressStyle } from '../terminal/terminal.ts';

/** Milliseconds after which a person is told that an answer is waited for: by a line that turns, or in a line that stays. */
const PATIENCE = { bar: 500, lines: 3_000 };

/** A client that says, to who watches a terminal, that an answer takes its time, and whose. */
export function awaited(client: Client, context: Context, host: string): Client {
  const waiting = waitingOf(context);
  if (!waiting) return client;
  const during = async <Reply>(operation: CalledOperation, call: () => Promise<Reply>): Promise<Reply> => {
    // What it asks has to be answered before anything turns.
    if (operation.effect !== 'read') await client.permitWrites();
    return waiting.during(`${operation.command?.join(' ') ?? operation.path}: waiting for ${host}`, call);
  };
  return {
    ...client,
    call: (operation, input) => during(operation, () => client.call(operation, input)),
    send: (operation, data) => during(operation, () => client.send(operation, data)),
    sendText: (operation, dataText, ids) => during(operation, () => client.sendText(operation, dataText, ids)),
  };
}

/** Says the same of work that is no call of the service. */
export async function saidWhile<Value>(context: Context, text: string, work: () => Promise<Value>): Promise<Value> {
  const waiting = waitingOf(context);
  return waiting ? waiting.during(text, work) : work();
}

/** Nothing where nobody watches, or wants to be told. */
function waitingOf(context: Context): Waiting | undefined {
  const style = progressStyle(context);
  return style === 'none' || !context.io.stderr.isTerminal ? undefined : new Waiting(context, PATIENCE[style]);
}

/** The time in which at least one piece of work is under way. */
class Waiting {
  readonly #context: Context;
  readonly #patience: number;
  #calls = 0;
  #ended = new AbortController();
  #shown: Promise<(() => Promise<void>) | undefined> = Promise.resolve(undefined);

  constructor(context: Context, patience: number) {
    this.#context = context;
    this.#patience = patience;
  }

  /** Resolves when nothing of it is on the screen any more. */
  async during<Value>(text: string, work: () => Promise<Value>): Promise<Value> {
    this.#begin(text);
    try {
      return await work();
    } finally {
      await this.#end();
    }
  }

  #begin(text: string): void {
    this.#calls += 1;
    if (this.#calls > 1) return;
    this.#ended = new AbortController();
    this.#shown = this.#show(text, this.#ended.signal);
  }

  async #end(): Promise<void> {
    this.#calls -= 1;
    if (this.#calls > 0) return;
    this.#ended.abort();
    const end = await this.#shown;
    await end?.();
  }

  async #show(text: string, ended: AbortSignal): Promise<(() => Promise<void>) | undefined> {
    const { clock, progress } = this.#context;
    await clock.sleep(this.#patience, ended).catch(() => undefined);
    if (ended.aborted) return undefined;
    const shown = await progress();
    return ended.aborted ? undefined : shown.busy(text);
  }
}
