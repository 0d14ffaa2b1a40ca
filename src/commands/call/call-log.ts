import type { CallEvent, ClientOptions } from '../../client/client.ts';
import { safeText } from '../../kernel/safe-text.ts';
import type { Context } from '../context.ts';

/**
 * Writes what happens during calls to stderr: with `--verbose` a line a request, with `--debug` both bodies too, and
 * without `--quiet` how long a rate limit is waited for.
 */
export function callLog(context: Context): NonNullable<ClientOptions['observe']> {
  const { options } = context;
  // Talk that cannot be written must not fail the call it is about.
  return (event) => {
    if (event.kind === 'waiting') {
      return void context.progress().then((progress) => progress.wait(event.untilEpoch, event.reason));
    }
    const text = linesOf(event, options).map((line) => `${safeText(line)}\n`);
    if (text.length > 0) void context.progress().then((progress) => progress.say(text.join('')));
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
