import type { CallEvent, ClientOptions } from '../client/client.ts';
import { safeText } from '../kernel/safe-text.ts';
import type { Context } from './context.ts';

/** Writes what happens during calls to stderr: with `--verbose` a line a request, with `--debug` both bodies too. */
export function observer({ options, io, clock }: Context): NonNullable<ClientOptions['observe']> {
  return (event) => {
    const lines = linesOf(event, options, clock.now());
    // Talk that cannot be written must not fail the call it is about.
    if (lines.length > 0)
      void io.stderr.write(lines.map((line) => `${safeText(line)}\n`).join('')).catch(() => undefined);
  };
}

function linesOf(event: CallEvent, options: Context['options'], now: number): string[] {
  switch (event.kind) {
    case 'request':
      return options.debug
        ? [`> POST ${event.request.url}`, ...headerLines(event), `> ${JSON.stringify(event.request.body)}`]
        : [];
    case 'reply': {
      const line = `POST ${event.url} ${event.httpStatus} in ${Math.round(event.milliseconds)} ms`;
      if (options.debug) return [`< ${line}`, `< ${event.body}`];
      return options.verbose ? [line] : [];
    }
    case 'retry':
      return options.verbose || options.debug
        ? [`again in ${Math.round(event.inMilliseconds)} ms: ${event.reason}`]
        : [];
    case 'waiting':
      return options.quiet ? [] : [`waiting ${Math.ceil((event.untilEpoch - now) / 1000)} s: ${event.reason}`];
  }
}

function headerLines({ request }: Extract<CallEvent, { kind: 'request' }>): string[] {
  return Object.entries(request.headers).map(([name, value]) => `> ${name}: ${value}`);
}
