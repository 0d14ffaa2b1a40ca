import type { CalledOperation, Client } from '../client/client.ts';
import type { Context } from './context.ts';
import { progressStyle } from './terminal.ts';

/** Milliseconds after which a person is told that an answer is waited for: by a line that turns, or in a line that stays. */
const PATIENCE = { bar: 500, lines: 3_000 };

/** A client that says, to who watches a terminal, that an answer takes its time, and whose. */
export function awaited(client: Client, context: Context, host: string): Client {
  const style = progressStyle(context);
  if (style === 'none' || !context.io.stderr.isTerminal) return client;
  const waiting = new Waiting(context, PATIENCE[style]);
  const during = async <Reply>(operation: CalledOperation, call: () => Promise<Reply>): Promise<Reply> => {
    // What it asks has to be answered before anything turns.
    if (operation.effect !== 'read') await client.permitWrites();
    waiting.begin(`${operation.command?.join(' ') ?? operation.path}: waiting for ${host}`);
    try {
      return await call();
    } finally {
      await waiting.end();
    }
  };
  return {
    ...client,
    call: (operation, input) => during(operation, () => client.call(operation, input)),
    send: (operation, data) => during(operation, () => client.send(operation, data)),
    sendText: (operation, dataText, ids) => during(operation, () => client.sendText(operation, dataText, ids)),
  };
}

/** The time in which at least one call is under way. */
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

  begin(text: string): void {
    this.#calls += 1;
    if (this.#calls > 1) return;
    this.#ended = new AbortController();
    this.#shown = this.#show(text, this.#ended.signal);
  }

  /** Resolves when nothing of it is on the screen any more. */
  async end(): Promise<void> {
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
