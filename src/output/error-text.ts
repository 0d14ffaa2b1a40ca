import { FAILURES, type SvcError, systemErrorCode } from '../kernel/errors.ts';
import { commandLineOf, Hint } from '../kernel/hint.ts';
import { escapeForTerminal, escapeJsonForTerminal } from '../kernel/safe-text.ts';
import type { Format } from './format.ts';
import type { MessagePart } from './wrap-message.ts';

interface ErrorTextOptions {
  readonly format: Format;
  readonly debug: boolean;
  /** Width of the terminal (default: lines are not wrapped). */
  readonly width?: number | undefined;
}

/**
 * Renders an error for stderr: the message and its hint, or one JSON object on one line for the JSON formats. With
 * `debug`, text ends with the stack trace.
 */
export async function renderError(error: SvcError, { format, debug, width }: ErrorTextOptions): Promise<string> {
  if (format === 'json' || format === 'ndjson')
    return `${escapeJsonForTerminal(JSON.stringify({ error: errorObject(error) }))}\n`;
  const messages: (readonly MessagePart[])[] = [[`svc: ${error.message}${error.status ? ` (${error.status})` : ''}`]];
  if (error.hint) messages.push(['hint: ', ...hintParts(error)]);
  const lines = await Promise.all(messages.map((parts) => renderMessage(parts.map(escapePart), width)));
  if (debug) lines.push(...stackTrace(error).map(escapeForTerminal));
  return `${lines.join('\n')}\n`;
}

function hintParts({ structuredHint }: SvcError): readonly MessagePart[] {
  if (!(structuredHint instanceof Hint)) return [structuredHint ?? ''];
  return structuredHint.parts.map((part) => (typeof part === 'string' ? part : { command: commandLineOf(part) }));
}

function escapePart(part: MessagePart): MessagePart {
  return typeof part === 'string' ? escapeForTerminal(part) : { command: escapeForTerminal(part.command) };
}

/** Joins the parts of a message, and wraps it if it is wider than the terminal. */
async function renderMessage(parts: readonly MessagePart[], width: number | undefined): Promise<string> {
  const text = parts.map((part) => (typeof part === 'string' ? part : part.command)).join('');
  if (!width || text.length * 2 <= width) return text;
  return (await import('./wrap-message.ts')).wrapMessage(parts, width);
}

function errorObject({ failure, message, status, hint, next, retryable }: SvcError) {
  const { exitCode } = FAILURES[failure];
  const steps = next.flatMap(({ kind, flags = [], command, placeholder }) =>
    placeholder === undefined ? [{ kind, command: ['svc', ...flags, ...command] }] : [],
  );
  const known = { ...(hint && { hint }), ...(steps.length > 0 && { next: steps }) };
  return { code: failure, exitCode, status: status ?? null, message, ...known, retryable };
}

/** Lists only stack frames and error names: the message of a foreign error may contain secrets. */
function stackTrace(error: Error): string[] {
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  if (!(error.cause instanceof Error)) return frames;
  const kind = [error.cause.name, systemErrorCode(error.cause)].filter(Boolean).join(' ');
  return [...frames, `caused by ${kind}`, ...stackTrace(error.cause)];
}
