import { FAILURES, type Hint, hint, type SvcError, systemErrorCode } from '../kernel/errors.ts';
import { escapeForTerminal, escapeJsonForTerminal } from '../kernel/safe-text.ts';
import type { Format } from './format.ts';
import { formatMessage } from './message-text.ts';

interface ErrorTextOptions {
  readonly format: Format;
  readonly debug: boolean;
  /** Width of the terminal (default: lines are not wrapped). */
  readonly width?: number | undefined;
}

/**
 * Renders the message and the hint, or one line of JSON for the JSON formats. With `debug`, text
 * includes the stack trace.
 */
export async function renderError(
  error: SvcError,
  { format, debug, width }: ErrorTextOptions,
): Promise<string> {
  if (format === 'json' || format === 'ndjson')
    return `${escapeJsonForTerminal(JSON.stringify({ error: errorObject(error) }))}\n`;
  const messages: (string | Hint)[] = [
    `svc: ${error.message}${error.status ? ` (${error.status})` : ''}`,
  ];
  if (error.structuredHint) messages.push(hint`hint: ${error.structuredHint}`);
  const lines = await Promise.all(
    messages.map((message) => formatMessage(message, { columns: width })),
  );
  if (debug) lines.push(...stackTrace(error).map((line) => `${escapeForTerminal(line)}\n`));
  return lines.join('');
}

function errorObject({ failure, message, status, hint, next, retryable }: SvcError) {
  const { exitCode } = FAILURES[failure];
  const steps = next.flatMap(({ kind, flags = [], command, placeholder }) =>
    placeholder === undefined ? [{ kind, command: ['svc', ...flags, ...command] }] : [],
  );
  const optionalFields = { ...(hint && { hint }), ...(steps.length > 0 && { next: steps }) };
  return { code: failure, exitCode, status: status ?? null, message, ...optionalFields, retryable };
}

/** Lists only stack frames and error names: the message of a foreign error may contain secrets. */
function stackTrace(error: Error): string[] {
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  if (!(error.cause instanceof Error)) return frames;
  const kind = [error.cause.name, systemErrorCode(error.cause)].filter(Boolean).join(' ');
  return [...frames, `caused by ${kind}`, ...stackTrace(error.cause)];
}
