import type { Environment } from './folders.ts';
import { type Io, type Sink, withWrite } from './io.ts';

/** Commands that a build system takes from the lines of a log, in place of showing the line. */
interface LogCommands {
  /** Variable that the system sets. */
  readonly variable: string;
  /** Matches the start of a command. The first group precedes the character to escape. */
  readonly pattern: RegExp;
}

const LOG_COMMANDS: readonly LogCommands[] = [
  { variable: 'GITHUB_ACTIONS', pattern: /^((?:[^\S\n]|\x85)*)(?=::)|(#)(?=#\[)/gm },
  { variable: 'TF_BUILD', pattern: /(#)(?=#(?:vso)?\[)/gi },
  { variable: 'TEAMCITY_VERSION', pattern: /(#)(?=#teamcity\[)/gi },
];

/**
 * Returns a function that breaks the commands of the build system in which svc runs, visibly: with a
 * backslash. Returns undefined outside of such a system.
 */
export function createLogGuard(environment: Environment): ((text: string) => string) | undefined {
  const patterns = LOG_COMMANDS.filter(({ variable }) => isSwitchedOn(environment[variable]));
  if (patterns.length === 0) return undefined;
  return (text) => patterns.reduce((broken, { pattern }) => broken.replace(pattern, '$&\\'), text);
}

/** Whether a variable such as `CI` has a value that means yes. */
export function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && !/^(?:|0|false|no|off)$/i.test(value.trim());
}

/**
 * Guards the log of a build system: text of others cannot be taken for a command. Breaks commands in
 * all messages; tables use the guard of stdout. Data on stdout is unchanged.
 */
export function guardLog(io: Io, environment: Environment): Io {
  const breakCommands = createLogGuard(environment);
  if (!breakCommands || io.stderr.breakCommands) return io;
  const { stdout, stderr } = io;
  const guarded = withWrite(stderr, (text) =>
    stderr.write(typeof text === 'string' ? breakInMessages(text, breakCommands) : text),
  );
  const addGuard = (sink: Sink, target: Sink) =>
    Object.assign(sink, { breakCommands, writeCommand: (text: string) => target.write(text) });
  return {
    ...io,
    stdout: addGuard(Object.create(stdout), stdout),
    stderr: addGuard(guarded, stderr),
  };
}

/** Writes a text for people, without commands of the build system. */
export function writeText(sink: Sink, text: string): Promise<void> {
  return sink.write(sink.breakCommands?.(text) ?? text);
}

/** Warns once if data looks like a command of the build system. In texts, commands are broken. */
export function warnOfCommands(sink: Sink, warn: (text: string) => Promise<void>): Sink {
  const { breakCommands } = sink;
  if (!breakCommands) return sink;
  let hasWarned = false;
  return withWrite(sink, async (text) => {
    await sink.write(text);
    if (hasWarned || typeof text !== 'string' || breakCommands(text) === text) return;
    hasWarned = true;
    await warn(
      'a value looks like a command of the system that shows this log; it is printed unchanged',
    );
  });
}

/** In JSON, the escape is one that a parser restores. */
function breakInMessages(text: string, breakCommands: (text: string) => string): string {
  if (!text.startsWith('{')) return breakCommands(text);
  return breakCommands(text).replaceAll('#\\#', '#\\u0023');
}
