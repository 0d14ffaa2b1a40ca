import { type Clock, steadyNow } from '../kernel/clock.ts';
import { SvcError } from '../kernel/errors.ts';
import { redactText } from '../kernel/redact.ts';
import type { CallEvent } from './call-event.ts';
import { refusedCredentialHint, secretValues } from './credentials.ts';
import { readReply } from './envelope.ts';
import { networkFailure } from './network-failure.ts';
import { createObserver } from './observer.ts';
import type { Failed, Outcome } from './outcome.ts';
import type { NetworkProxy } from './proxy.ts';
import type { CalledOperation, WireRequest } from './request.ts';
import type { Target } from './target.ts';
import type { Transport, WireReply } from './transport.ts';

interface AttemptOptions {
  readonly target: Target;
  readonly clock: Clock;
  readonly proxy?: NetworkProxy;
  readonly observe?: (event: CallEvent) => void;
  readonly signal?: AbortSignal;
}

/** Sends a request once and makes sense of what comes back. Throws only what is no outcome: the signal's reason. */
export type Attempt = (operation: CalledOperation, request: WireRequest, attempt: number) => Promise<Outcome>;

export function createAttempt(options: AttemptOptions, transport: Transport): Attempt {
  const { target, clock, signal, proxy } = options;
  const observer = createObserver(target, options.observe);
  const redact = (text: string) => redactText(text, secretValues(target));

  async function exchange(request: WireRequest, ending: AbortSignal | undefined): Promise<WireReply | Failed> {
    try {
      return await transport(request, ending);
    } catch (error) {
      ending?.throwIfAborted();
      if (error instanceof SvcError) throw error;
      return networkFailure(error, new URL(request.url).host, proxy);
    }
  }

  return async (operation, request, attempt) => {
    observer.request(attempt, request);
    const started = steadyNow(clock);
    // What became of a batch of records is worth waiting for when the run is stopped.
    const ending = operation.bulk ? undefined : signal;
    const reply = await exchange(request, ending);
    if ('kind' in reply) return reply;
    observer.reply(attempt, request, reply, steadyNow(clock) - started);
    return readReply(reply, {
      operation,
      expected: request.expected,
      signal: ending,
      redact,
      get host() {
        return new URL(request.url).host;
      },
      get credential() {
        return refusedCredentialHint(target, operation.auth);
      },
    });
  };
}
