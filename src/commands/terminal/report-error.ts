import {
  CommandExit,
  FAILURES,
  messageOf,
  SvcError,
  systemErrorCode,
} from '../../kernel/errors.ts';
import type { Environment } from '../../kernel/folders.ts';
import type { Io } from '../../kernel/io.ts';
import { guardLog } from '../../kernel/log-commands.ts';
import { isCurrentFolderDeleted } from '../../kernel/process.ts';
import { rememberEnvironmentSecrets, SETTING_VARIABLES } from '../../kernel/variables.ts';
import { renderError } from '../../output/error-text.ts';
import { FORMATS, type Format } from '../../output/format.ts';
import { toTerminalText } from './terminal.ts';

/** Prints an error to stderr in the requested format, and returns its exit code. */
export async function reportError(
  given: Io,
  words: readonly string[],
  environment: Environment,
  thrown: unknown,
) {
  if (thrown instanceof CommandExit) return thrown.exitCode;
  const io = guardLog(given, environment);
  // Secrets in environment variables may not be registered yet, if the error occurred early.
  rememberEnvironmentSecrets(environment);
  const error = toSvcError(thrown);
  if (error.failure !== 'stdout_closed') {
    // Words after `--` may belong to another command.
    const end = words.indexOf('--');
    const svcWords = end < 0 ? words : words.slice(0, end);
    const text = await renderError(error, {
      width: io.stderr.columns,
      format: requestedFormat(svcWords, environment),
      debug: svcWords.includes('--debug'),
    });
    // Ignores a closed stderr; the exit code still reports the error.
    await io.stderr.write(toTerminalText(text, io.stderr, environment)).catch(() => undefined);
  }
  return FAILURES[error.failure].exitCode;
}

function toSvcError(thrown: unknown): SvcError {
  if (thrown instanceof SvcError) return thrown;
  if (isCurrentFolderDeleted(thrown)) {
    return new SvcError('local', 'the current folder no longer exists', {
      hint: 'change to a folder that exists, then run the command again',
      cause: thrown,
    });
  }
  if (isTextTooLong(thrown)) {
    return new SvcError(
      'local',
      'the text is longer than 536 million characters, the limit of Node.js',
      {
        hint: 'read or print fewer records at once',
        cause: thrown,
      },
    );
  }
  const message = messageOf(thrown);
  return new SvcError('bug', `unexpected error: ${message}`, {
    hint: 'this is a bug in svc: run the command again with --debug and report the output',
    cause: thrown,
  });
}

/** Whether strings were joined to one that is too long, or bytes were decoded to such a string. */
function isTextTooLong(thrown: unknown): boolean {
  return (
    (thrown instanceof RangeError && thrown.message === 'Invalid string length') ||
    systemErrorCode(thrown) === 'ERR_STRING_TOO_LONG'
  );
}

/**
 * Finds the output format in the unparsed words, because the command line may be invalid. The last
 * flag wins.
 */
function requestedFormat(words: readonly string[], environment: Environment): Format {
  let format = environment[SETTING_VARIABLES.output];
  for (const [at, word] of words.entries()) {
    const [, value] = OUTPUT_FLAG.exec(word) ?? [];
    if (value !== undefined) format = value || words[at + 1];
  }
  return FORMATS.find((known) => known === format) ?? 'table';
}

/** The flag for the output format, possibly in a group of short flags such as `-qojson`. */
const OUTPUT_FLAG = /^(?:--output(?:=|$)|-[qvy]*o)(.*)$/s;
