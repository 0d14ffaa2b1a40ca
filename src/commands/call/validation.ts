import type * as z from 'zod';
import type { InputProblem, Operation } from '../../catalog/define.ts';
import { explainIssue, suggestValue } from '../../catalog/explain-issue.ts';
import { type Flag, findImplyingFlag } from '../../catalog/flags.ts';
import { findEntryByCommand, type OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { valueAt } from '../../kernel/field-path.ts';
import { type Hint, hint, step } from '../../kernel/hint.ts';
import { SETTING_VARIABLES } from '../../kernel/variables.ts';

/** Kind of an error in input from flags, or from a document. */
export type InputFailure = 'usage' | 'bad_data';

/**
 * Checks an operation's input before anything is sent. Errors name the flag of a field if it has one.
 * @param now current time in milliseconds since the epoch
 */
export function checkInput(
  entry: OperationEntry,
  operation: Operation,
  input: unknown,
  failure: InputFailure,
  now: number,
): Readonly<Record<string, unknown>> {
  const { success, data, error } = operation.input.safeParse(input);
  if (success) {
    const outdated = operation.findPastValue?.(data, now);
    if (outdated) throw createInputError(entry, outdated, failure);
    return data;
  }
  const { issues } = error;
  const problems = issues.slice(0, MAX_PROBLEMS).map((issue) => issueMessage(entry, issue, input));
  const more = issues.length > problems.length ? ` (and ${issues.length - problems.length} more)` : '';
  const [suggestion] = issues.flatMap((issue) => suggestValue(issue, valueAt(input, issue.path)) ?? []);
  const text = `${problems.join('; ')}${more}`;
  throw new SvcError(failure, text, {
    hint: suggestion === undefined ? helpHint(entry, text) : `did you mean '${suggestion}'?`,
  });
}

/** Error about one value of a valid input, which names the value's flag if it has one. */
export function createInputError(entry: OperationEntry, { path, message }: InputProblem, failure: InputFailure) {
  const text = prefixWithName(flagOrFieldName(entry, path), message);
  return new SvcError(failure, text, { hint: helpHint(entry, text) });
}

function helpHint({ command, argument }: OperationEntry, problem: string): Hint {
  const help = hint`see ${step('help', ...command, '--help')}`;
  if (problem === `<${argument?.field}> is required`) return listHint(command) ?? help;
  return problem === '--org is required' ? orgHint(command) : help;
}

function listHint(command: readonly string[]): Hint | undefined {
  const list = [...command.slice(0, -1), 'list'];
  return findEntryByCommand(list) && hint`${step('list', ...list)} lists the IDs`;
}

/** Hint about a missing organization, which can be set once for all commands. */
export function orgHint(command: readonly string[]): Hint {
  return hint`add --org <id>, or set ${SETTING_VARIABLES.org} for all commands; see ${step('help', ...command, '--help')}`;
}

/** Number of problems in one message. */
const MAX_PROBLEMS = 3;

function issueMessage(entry: OperationEntry, issue: z.core.$ZodIssue, input: unknown): string {
  const value = valueAt(input, issue.path);
  const name = flagOrFieldName(entry, issue.path);
  if (issue.code === 'invalid_type' && value === undefined) {
    const other = findImplyingFlag(entry.flags, issue.path);
    return `${name}${other ? ` or --${other.name}` : ''} is required`;
  }
  return prefixWithName(name, withFlagNames(entry, explainIssue(issue, value)));
}

/** Adds the name in front of a message, unless the message already starts with it. */
function prefixWithName(name: string, message: string): string {
  return message.startsWith(`${name} `) ? message : `${name}: ${message}`;
}

/** Flag of a field, with the key if the flag has several (`--resource type`). Without a flag, the field itself. */
function flagOrFieldName(entry: OperationEntry, path: Path): string {
  const flag = findFlag(entry, path);
  if (!flag && path[0] === entry.argument?.field) return `<${entry.argument?.field}>`;
  if (!flag) return path.join('.') || 'data';
  const field = path.length > flag.path.length ? path.at(-1) : undefined;
  const key = flag.keys?.find((known) => known.path[0] === field)?.name ?? field;
  return typeof key === 'string' ? `--${flag.name} ${key}` : `--${flag.name}`;
}

type Path = readonly PropertyKey[];

/** Flag of a field or of an enclosing object. For a missing object, the flag of its first required field. */
function findFlag({ flags }: OperationEntry, fieldPath: Path): Flag | undefined {
  const callFlags = flags.filter(({ ofRecord }) => !ofRecord);
  return (
    callFlags.find(({ path }) => path.every((part, depth) => fieldPath[depth] === part)) ??
    callFlags.find(
      ({ path, required }) =>
        required && fieldPath.length > 0 && fieldPath.every((part, depth) => path[depth] === part),
    )
  );
}

/** Replaces the names of fields in a message by their flags. */
function withFlagNames({ flags }: OperationEntry, message: string): string {
  const names = new Map(flags.map(({ path, name }) => [path.join('.'), `--${name}`]));
  return message.replace(/^./, (first) => first.toLowerCase()).replace(/\w+/g, (word) => names.get(word) ?? word);
}
