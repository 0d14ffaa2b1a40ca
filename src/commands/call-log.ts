import type { CallEvent, ClientOptions } from '../client/client.ts';
import { safeText } from '../kernel/safe-text.ts';
import { createCountdown } from '../output/countdown.ts';
import type { Context } from './context.ts';
import { progressStyle } from './terminal.ts';

/** Shows what happens during calls, and takes what moves off the screen at the end. */
interface CallLog {
  readonly observe: NonNullable<ClientOptions['observe']>;
  close(): Promise<void>;
}

/**
 * Writes what happens during calls to stderr: with `--verbose` a line a request, with `--debug` both bodies too, and
 * without `--quiet` how long a rate limit is waited for.
 */
export function callLog(context: Context): CallLog {
  const { options, io, clock } = context;
  const countdown = createCountdown(io.stderr, clock, progressStyle(context));
  return {
    observe: (event) => {
      if (event.kind === 'waiting') return countdown.start(event.untilEpoch, event.reason);
      const lines = linesOf(event, options);
      if (lines.length === 0) return;
      const text = lines.map((line) => `${safeText(line)}\n`).join('');
      // Talk that cannot be written must not fail the call it is about.
      void io.stderr.write(countdown.erasure() + text).catch(() => undefined);
    },
    close: countdown.end,
  };
}

function linesOf(event: Exclude<CallEvent, { kind: 'waiting' }>, options: Context['options']): string[] {
  switch (event.kind) {
    case 'request':
      return options.debug
        ? [`> POST ${event.request.url}`, ...headerLines(event), `> ${JSON.stringify(event.request.body)}`]
        : [];
    case 'reply': {
      if (!options.debug && !options.verbose) return [];
      const line = `POST ${event.url} ${event.httpStatus} in ${Math.round(event.milliseconds)} ms`;
      if (options.debug) return [`< ${line}`, `< ${event.body}`];
      return [line];
    }
    case 'settled':
      return options.quiet ? [] : [event.message];
    case 'retry':
      return options.verbose || options.debug
        ? [`again in ${Math.round(event.inMilliseconds)} ms: ${event.reason}`]
        : [];
  }
}

function headerLines({ request }: Extract<CallEvent, { kind: 'request' }>): string[] {
  return Object.entries(request.headers).map(([name, value]) => `> ${name}: ${value}`);
}
