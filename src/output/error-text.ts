import { FAILURES, type SvcError, systemErrorCode } from '../kernel/errors.ts';
import { escapeForTerminal, escapeJsonForTerminal } from '../kernel/safe-text.ts';
import type { Format } from './format.ts';

/**
 * Renders an error for stderr: the message and its hint, or one JSON object on one line for the JSON formats. With
 * `debug`, text ends with the stack trace.
 */
export function renderError(error: SvcError, { format, debug }: { format: Format; debug: boolean }): string {
  if (format === 'json' || format === 'ndjson')
    return `${escapeJsonForTerminal(JSON.stringify({ error: errorObject(error) }))}\n`;
  const lines = [`svc: ${error.message}${error.status ? ` (${error.status})` : ''}`];
  if (error.hint) lines.push(`hint: ${error.hint}`);
  if (debug) lines.push(...stackTrace(error));
  return `${lines.map(escapeForTerminal).join('\n')}\n`;
}

function errorObject({ failure, message, status, hint, next, retryable }: SvcError) {
  const { exitCode } = FAILURES[failure];
  const steps = next.flatMap(({ kind, flags = [], command, placeholder: rest }) =>
    rest === undefined ? [{ kind, command: ['svc', ...flags, ...command] }] : [],
  );
  const known = { ...(hint && { hint }), ...(steps.length > 0 && { next: steps }) };
  return { code: failure, exitCode, status: status ?? null, message, ...known, retryable };
}

/** Lists frames and error names only: the message of a foreign error may contain secrets. */
function stackTrace(error: Error): string[] {
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  if (!(error.cause instanceof Error)) return frames;
  const kind = [error.cause.name, systemErrorCode(error.cause)].filter(Boolean).join(' ');
  return [...frames, `caused by ${kind}`, ...stackTrace(error.cause)];
}
