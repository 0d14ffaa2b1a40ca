import { FAILURES, type Hint, hint, type SvcError, systemErrorCode } from '../kernel/errors.ts';
import { isObject, tryParseJson } from '../kernel/json.ts';
import { redactRemembered, redactValue } from '../kernel/redact.ts';
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
 * Renders the message, the service's details, and the hint, or one line of JSON for the JSON formats. With `debug`, text
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
  const details = detailsOf(error);
  if (details !== undefined && !isShownInHint(error)) {
    const text = JSON.stringify(details);
    const isLong = text.length > MAX_DETAILS_IN_TEXT;
    messages.push(`details: ${isLong ? `${text.slice(0, MAX_DETAILS_IN_TEXT)}…` : text}`);
  }
  if (error.structuredHint) messages.push(hint`hint: ${error.structuredHint}`);
  const lines = await Promise.all(
    messages.map((message) => formatMessage(message, { columns: width })),
  );
  if (debug) lines.push(...stackTrace(error).map((line) => `${escapeForTerminal(line)}\n`));
  return lines.join('');
}

const MAX_DETAILS_IN_TEXT = 2_000;
const MAX_DETAILS_IN_JSON = 100_000;

/**
 * Returns the service's `details` without secrets. Details that are too long become text that is
 * cut off.
 */
function detailsOf({ details }: SvcError): unknown {
  if (details === undefined) return undefined;
  const text = redactRemembered(JSON.stringify(redactValue(details, [])));
  if (text.length > MAX_DETAILS_IN_JSON) return `${text.slice(0, MAX_DETAILS_IN_JSON)}…`;
  return tryParseJson(text) ?? text;
}

/** Whether the hint or the message is the only issue in the details. */
function isShownInHint({ details }: SvcError): boolean {
  if (!isObject(details) || Object.keys(details).length !== 1) return false;
  const { issues } = details;
  return Array.isArray(issues) && issues.length === 1;
}

function errorObject(error: SvcError) {
  const { failure, message, status, hint, next, retryable } = error;
  const { exitCode } = FAILURES[failure];
  const steps = next.flatMap(({ kind, flags = [], command, placeholder }) =>
    placeholder === undefined ? [{ kind, command: ['svc', ...flags, ...command] }] : [],
  );
  const optionalFields = { ...(hint && { hint }), ...(steps.length > 0 && { next: steps }) };
  const details = detailsOf(error);
  return {
    code: failure,
    exitCode,
    status: status ?? null,
    message,
    ...optionalFields,
    ...(details !== undefined && { details }),
    retryable,
  };
}

/** Lists only stack frames and error names: the message of a foreign error may contain secrets. */
function stackTrace(error: Error): string[] {
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  if (!(error.cause instanceof Error)) return frames;
  const kind = [error.cause.name, systemErrorCode(error.cause)].filter(Boolean).join(' ');
  return [...frames, `caused by ${kind}`, ...stackTrace(error.cause)];
}
