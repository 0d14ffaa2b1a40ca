import { FAILURES, type SvcError, systemErrorCode } from '../kernel/errors.ts';
import { safeJson, safeText } from '../kernel/safe-text.ts';
import type { Format } from './format.ts';

/**
 * A failure as stderr shows it: one line and a hint below it, or with the JSON formats one object on one line.
 * With `debug` the text ends with where in the code it came from.
 */
export function renderError(error: SvcError, { format, debug }: { format: Format; debug: boolean }): string {
  if (format === 'json' || format === 'ndjson') return `${safeJson(JSON.stringify({ error: errorObject(error) }))}\n`;
  const lines = [`svc: ${error.message}${error.status ? ` (${error.status})` : ''}`];
  if (error.hint) lines.push(`hint: ${error.hint}`);
  if (debug) lines.push(...trace(error));
  return `${lines.map(safeText).join('\n')}\n`;
}

function errorObject({ failure, message, status, hint, next, retryable }: SvcError) {
  const { exitCode } = FAILURES[failure];
  const steps = next.flatMap(({ kind, flags = [], command, rest }) =>
    rest === undefined ? [{ kind, command: ['svc', ...flags, ...command] }] : [],
  );
  const known = { ...(hint && { hint }), ...(steps.length > 0 && { next: steps }) };
  return { code: failure, exitCode, status: status ?? null, message, ...known, retryable };
}

/** Frames and kinds only: the message of a foreign error may repeat what it was given, secrets included. */
function trace(error: Error): string[] {
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  if (!(error.cause instanceof Error)) return frames;
  const kind = [error.cause.name, systemErrorCode(error.cause)].filter(Boolean).join(' ');
  return [...frames, `caused by ${kind}`, ...trace(error.cause)];
}
