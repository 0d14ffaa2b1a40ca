import type * as z from 'zod';
import type { Operation } from '../../catalog/define.ts';
import type { Flag } from '../../catalog/flags.ts';
import { issueText, meantValue } from '../../catalog/issue-text.ts';
import { entryOfCommand, type OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { valueAt } from '../../kernel/field-path.ts';
import { type Hint, hint, step } from '../../kernel/hint.ts';
import { VARIABLES } from '../../kernel/variables.ts';

/**
 * Checks an operation's input, as of a moment in milliseconds since the epoch, before anything is sent. The error names
 * the flag of the field where there is one.
 * @throws SvcError of the given kind: `usage` for what flags said, `bad_data` for what a document said.
 */
export function checkInput(
  entry: OperationEntry,
  operation: Operation,
  input: unknown,
  failure: 'usage' | 'bad_data',
  now: number,
): Readonly<Record<string, unknown>> {
  const refused = (problem: string, meant?: string) =>
    new SvcError(failure, problem, {
      hint: meant === undefined ? helpHint(entry, problem) : `did you mean '${meant}'?`,
    });
  const { success, data, error } = operation.input.safeParse(input);
  if (success) {
    const outdated = operation.outdated?.(data, now);
    if (outdated) throw refused(withName(nameOf(entry, outdated.path), outdated.message));
    return data;
  }
  const { issues } = error;
  const problems = issues.slice(0, MOST_PROBLEMS).map((issue) => describe(entry, issue, input));
  const more = issues.length > problems.length ? ` (and ${issues.length - problems.length} more)` : '';
  const [meant] = issues.flatMap((issue) => meantValue(issue, valueAt(input, issue.path)) ?? []);
  throw refused(`${problems.join('; ')}${more}`, meant);
}

function helpHint({ command, argument }: OperationEntry, problem: string): Hint {
  const help = hint`see ${step('help', ...command, '--help')}`;
  if (problem === `<${argument?.field}> is required`) return listHint(command) ?? help;
  return problem === '--org is required' ? orgHint(command) : help;
}

function listHint(command: readonly string[]): Hint | undefined {
  const list = [...command.slice(0, -1), 'list'];
  return entryOfCommand(list) && hint`${step('list', ...list)} shows them`;
}

/** What to do about a missing organization: it may be set once for all commands. */
export function orgHint(command: readonly string[]): Hint {
  return hint`give it here, or set ${VARIABLES.org} for all commands; see ${step('help', ...command, '--help')}`;
}

/** Problems that one line names. */
const MOST_PROBLEMS = 3;

function describe(entry: OperationEntry, issue: z.core.$ZodIssue, input: unknown): string {
  const value = valueAt(input, issue.path);
  const name = nameOf(entry, issue.path);
  if (issue.code === 'invalid_type' && value === undefined) return `${name} is required`;
  return withName(name, inFlags(entry, issueText(issue, value)));
}

/** A message about what has this name, which it may begin with already. */
function withName(name: string, message: string): string {
  return message.startsWith(`${name} `) ? message : `${name}: ${message}`;
}

/** The flag of a field, with its key where it has several (`--resource type`), or the field where there is none. */
function nameOf(entry: OperationEntry, path: Path): string {
  const flag = flagOf(entry, path);
  if (!flag && path[0] === entry.argument?.field) return `<${entry.argument?.field}>`;
  if (!flag) return path.join('.') || 'data';
  const field = path.length > flag.path.length ? path.at(-1) : undefined;
  const key = flag.keys?.find((known) => known.path[0] === field)?.name ?? field;
  return typeof key === 'string' ? `--${flag.name} ${key}` : `--${flag.name}`;
}

type Path = readonly PropertyKey[];

/** The flag of a field or of what is around it; for a missing object, that of its first required field. */
function flagOf({ flags }: OperationEntry, at: Path): Flag | undefined {
  const own = flags.filter(({ ofRecord }) => !ofRecord);
  return (
    own.find(({ path }) => path.every((part, depth) => at[depth] === part)) ??
    own.find(({ path, required }) => required && at.length > 0 && at.every((part, depth) => path[depth] === part))
  );
}

/** A message about fields, said of the flags that stand for them. */
function inFlags({ flags }: OperationEntry, message: string): string {
  const names = new Map(flags.map(({ path, name }) => [path.join('.'), `--${name}`]));
  return message.replace(/^./, (first) => first.toLowerCase()).replace(/\w+/g, (word) => names.get(word) ?? word);
}
