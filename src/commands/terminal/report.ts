import { CommandExit, FAILURES, messageOf, SvcError } from '../../kernel/errors.ts';
import type { Environment } from '../../kernel/folders.ts';
import { type Io, isFolderGone } from '../../kernel/io.ts';
import { meetEnvironment, VARIABLES } from '../../kernel/variables.ts';
import { renderError } from '../../output/error-text.ts';
import { FORMATS, type Format } from '../../output/format.ts';
import type { OptionDefinition } from '../definition.ts';
import { GLOBAL_FLAGS } from '../global-flags.ts';
import { shortFlags } from '../short-flags.ts';
import { shownText } from './terminal.ts';

/** Says on stderr what went wrong, in the format that was asked for, and gives the exit code of it. */
export async function report(
  io: Io,
  words: readonly string[],
  environment: Environment,
  thrown: unknown,
): Promise<number> {
  if (thrown instanceof CommandExit) return thrown.exitCode;
  // A crash may come before anybody looked at them.
  meetEnvironment(environment);
  const error = asSvcError(thrown);
  if (error.failure !== 'reader_gone') {
    const own = ownWords(words);
    const text = renderError(error, { format: wantedFormat(own, environment), debug: own.includes('--debug') });
    // With stderr gone as well there is nobody left to tell; the exit code still says it.
    await io.stderr.write(shownText(text, io.stderr, environment)).catch(() => undefined);
  }
  return FAILURES[error.failure].exitCode;
}

function asSvcError(thrown: unknown): SvcError {
  if (thrown instanceof SvcError) return thrown;
  if (isFolderGone(thrown)) {
    return new SvcError('local', 'the current folder no longer exists', {
      hint: 'change to a folder that exists, then run the command again',
      cause: thrown,
    });
  }
  const message = messageOf(thrown);
  return new SvcError('bug', `unexpected: ${message}`, {
    hint: 'this is a bug in svc: run it again with --debug and report what it prints',
    cause: thrown,
  });
}

/** Without those behind `--`, which may be a command's. */
function ownWords(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return end < 0 ? words : words.slice(0, end);
}

/** The format asked for, read from the bare words: the command line may be what is wrong. The last one counts. */
function wantedFormat(words: readonly string[], environment: Environment): Format {
  let wanted = environment[VARIABLES.output];
  for (const [at, word] of words.entries()) {
    const short = shortFlags(word, SHORT);
    if (short?.valued?.flags.startsWith('-o,')) wanted = short.value || words[at + 1];
    else if (word === '--output') wanted = words[at + 1];
    else if (word.startsWith('--output=')) wanted = word.slice('--output='.length);
  }
  return FORMATS.find((format) => format === wanted) ?? 'table';
}

/** Flags that stand alone or behind one dash with others: `-ojson`, `-qojson`. */
const SHORT = {
  find: (name: string) => GLOBAL_FLAGS.find(({ flags }) => flags.startsWith(`${name}, `)),
  takesValue: ({ flags }: OptionDefinition) => flags.includes('<'),
};
