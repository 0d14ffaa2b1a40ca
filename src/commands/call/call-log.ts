import type { CallEvent, ClientOptions } from '../../client/client.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import type { Context } from '../context.ts';

/**
 * Creates an observer that prints calls to stderr: with `--verbose`, a line per request; with `--debug`, also the
 * bodies; without `--quiet`, a countdown while waiting for a rate limit.
 */
export function createCallLog(context: Context): NonNullable<ClientOptions['observe']> {
  const { options } = context;
  // Ignores failures to print.
  return (event) => {
    if (event.kind === 'waiting') {
      return void context.progress().then((progress) => progress.countDown(event.untilEpoch, event.reason));
    }
    const text = linesOf(event, options).map((line) => `${escapeForTerminal(line)}\n`);
    if (text.length > 0) void context.progress().then((progress) => progress.print(text.join('')));
  };
}

function linesOf(event: Exclude<CallEvent, { kind: 'waiting' }>, options: Context['options']): string[] {
  switch (event.kind) {
    case 'request':
      return options.debug
        ? [`> POST ${event.request.url}`, ...headerLines(event), `> ${JSON.stringify(event.request.body)}`]
        : [];
    case 'response': {
      if (!options.debug && !options.verbose) return [];
      const line = `POST ${event.url} ${event.httpStatus} in ${Math.round(event.milliseconds)} ms`;
      if (options.debug) return [`< ${line}`, `< ${event.body}`];
      return [line];
    }
    case 'settled':
      return options.quiet ? [] : [event.message];
    case 'retry':
      return options.verbose || options.debug
        ? [`retrying in ${Math.round(event.inMilliseconds)} ms: ${event.reason}`]
        : [];
  }
}

function headerLines({ request }: Extract<CallEvent, { kind: 'request' }>): string[] {
  return Object.entries(request.headers).map(([name, value]) => `> ${name}: ${value}`);
}
