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
  { variable: 'GITHUB_ACTIONS', pattern: /^([^\S\n]*)(?=::)|(#)(?=#\[)/gm },
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
  return {
    ...io,
    stdout: Object.assign(Object.create(stdout) as Sink, { breakCommands }),
    stderr: Object.assign(guarded, {
      breakCommands,
      writeCommand: (text: string) => stderr.write(text),
    }),
  };
}

/** In JSON, the escape is one that a parser restores. */
function breakInMessages(text: string, breakCommands: (text: string) => string): string {
  if (!text.startsWith('{')) return breakCommands(text);
  return breakCommands(text).replaceAll('#\\#', '#\\u0023');
}
