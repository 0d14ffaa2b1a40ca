import type * as z from 'zod/mini';
import { bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import type { InputProblem, Operation } from '../../catalog/define.ts';
import { explainIssue, suggestValue } from '../../catalog/explain-issue.ts';
import {
  type Flag,
  findImplyingFlag,
  findSharedFlag,
  type InputNaming,
} from '../../catalog/flags.ts';
import { findIntendedField } from '../../catalog/intended-field.ts';
import { findEntryByCommand, type OperationEntry } from '../../catalog/manifest.ts';
import { findSelectingInCall } from '../../catalog/selecting-fields.ts';
import { findTargetIdProblems } from '../../catalog/target-ids.ts';
import { type Hint, hint, SvcError, step } from '../../kernel/errors.ts';
import { formatFieldPath, valueAt } from '../../kernel/field-path.ts';
import { lowerFirst } from '../../kernel/first-letter.ts';
import { suggestId } from '../../kernel/id-text.ts';
import type { Fields } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { isMasked } from '../../kernel/redact.ts';
import { SETTING_VARIABLES } from '../../kernel/variables.ts';
import type { Context } from '../context.ts';
import { kindOfField } from '../ids/id-collector.ts';
import { withCiReason } from '../terminal/terminal.ts';

/** Kind of an error in the input: `usage` for flags, `invalid_input` for `--data`. */
export type InputFailure = 'usage' | 'invalid_input';
type InputContext = Pick<Context, 'clock' | 'inputNaming' | 'environment' | 'words'>;
/** The parts of an operation that the check of an input needs. */
interface CheckedOperation {
  readonly input: z.ZodMiniObject;
  findPastValue?(input: Readonly<Record<string, unknown>>, now: number): InputProblem | undefined;
}

/** The names of an operation's command, arguments, and flags, for messages. */
export interface InputEntry
  extends Pick<OperationEntry, 'command' | 'argument' | 'bulk' | 'flags'> {
  readonly arguments?: readonly Flag[];
}

/** Checks an operation's input. Sends no requests. @throws SvcError of the given kind */
export function checkInput(
  context: InputContext,
  entry: InputEntry,
  operation: CheckedOperation,
  input: unknown,
  failure: InputFailure,
): Readonly<Record<string, unknown>> {
  const { clock, inputNaming, environment } = context;
  const { success, data, error } = operation.input.safeParse(input);
  if (success) {
    checkTargetIds(context, entry, operation.input, data, failure);
    const outdated = operation.findPastValue?.(data, clock.now());
    if (outdated) throw createInputError(context, entry, outdated, failure);
    const masked = entry.flags.find(
      ({ kind, path }) => kind === 'secret' && isMasked(valueAt(data, path)),
    );
    const advice = inputNaming === 'flags' ? '; to print the secret, use --show-secrets' : '';
    const message = `is masked and would replace the real secret${advice}`;
    if (masked) throw createInputError(context, entry, { path: masked.path, message }, failure);
    return data;
  }
  const { issues } = error;
  const problems = issues
    .slice(0, MAX_PROBLEMS)
    .map((issue) => issueMessage(context, entry, issue, input, failure));
  const more =
    issues.length > problems.length ? ` (and ${issues.length - problems.length} more)` : '';
  const [suggestion] = issues.flatMap(
    (issue) => suggestValue(issue, valueAt(input, issue.path)) ?? [],
  );
  const advice = suggestion === undefined ? undefined : `did you mean '${suggestion}'?`;
  const [issue] = issues;
  const isMissing =
    issues.length === 1 &&
    issue?.code === 'invalid_type' &&
    valueAt(input, issue.path) === undefined;
  const missing = isMissing ? issue.path[0] : undefined;
  const help = helpHint(inputNaming, entry, missing);
  // On a terminal, svc asks for such an ID.
  const isAsked = inputNaming === 'flags' && kindOfField(String(missing)) !== undefined;
  throw new SvcError(failure, `${problems.join('; ')}${more}`, {
    hint: advice ?? (isAsked ? withCiReason({ environment }, help) : help),
  });
}

/**
 * Checks the IDs of targets in a part of an operation's input. Sends no requests.
 * @throws SvcError of the given kind for an ID with invisible characters or spaces around it
 */
export function checkTargetIds(
  context: Pick<InputContext, 'inputNaming' | 'words'>,
  entry: InputEntry,
  schema: z.ZodMiniObject,
  data: Readonly<Record<string, unknown>>,
  failure: InputFailure,
): void {
  const [problem] = findTargetIdProblems(schema, data);
  if (!problem) return;
  const meant = suggestId(String(valueAt(data, problem.path)));
  const advice = meant === undefined ? undefined : `did you mean '${meant}'?`;
  throw createInputError(context, entry, problem, failure, advice);
}

function createInputError(
  context: Pick<InputContext, 'inputNaming' | 'words'>,
  entry: InputEntry,
  { path, message }: InputProblem,
  failure: InputFailure,
  advice: string | Hint = helpHint(context.inputNaming, entry),
): SvcError {
  const text = prefixWithName(nameValue(context, entry, path, failure), message);
  return new SvcError(failure, text, { hint: advice });
}

function helpHint(
  naming: InputNaming,
  { command, argument, bulk, flags }: InputEntry,
  missing?: PropertyKey,
): Hint {
  const help = hint`see ${step('help', ...command, '--help')}`;
  const list = [...command.slice(0, -1), 'list'];
  const flag = naming === 'flags' && bulk === 'array' && findSharedFlag(flags, String(missing));
  if (flag && flag.kind === 'text')
    return hint`add --${flag.name} <id>, or a field '${String(missing)}' to each record of a file; see ${step('help', ...command, '--help')}`;
  if (missing !== undefined && missing === argument?.field && findEntryByCommand(list))
    return hint`to list the IDs, run ${step('list', ...list)}`;
  return naming === 'flags' && missing === 'organizationId' ? orgHint(command) : help;
}

export function orgHint(command: readonly string[]): Hint {
  return hint`add --org <id>, or set ${SETTING_VARIABLES.org} for all commands; see ${step('help', ...command, '--help')}`;
}

const MAX_PROBLEMS = 3;

function issueMessage(
  context: InputContext,
  entry: InputEntry,
  issue: z.core.$ZodIssue,
  input: unknown,
  failure: InputFailure,
): string {
  const { inputNaming: naming } = context;
  const value = valueAt(input, issue.path);
  if (issue.code === 'invalid_type' && value === undefined) {
    const name = nameInput(naming, entry, issue.path);
    const other = naming === 'flags' ? findImplyingFlag(entry.flags, issue.path) : undefined;
    return `${name}${other ? ` or --${other.name}` : ''} is required`;
  }
  const nameField = (field: string) => {
    const flag = naming === 'flags' && entry.flags.find(({ path }) => path.join('.') === field);
    return flag ? `--${flag.name}` : field;
  };
  const name = nameValue(context, entry, issue.path, failure);
  return prefixWithName(name, lowerFirst(explainIssue(issue, value, nameField)));
}

/** Returns the flag or the argument that gave a value, or the field of `--data`. */
export function nameValue(
  { inputNaming, words }: Pick<InputContext, 'inputNaming' | 'words'>,
  entry: InputEntry,
  path: Path,
  failure: InputFailure,
): string {
  const name = nameInput(inputNaming, entry, path);
  const [flag = ''] = name.split(' ');
  const isGiven = words.some((word) => word.split('=', 1)[0] === flag);
  const isOfData = failure === 'invalid_input' && flag.startsWith('--') && !isGiven;
  return isOfData ? nameInput('fields', entry, path) : name;
}

/** Puts the name before a message that does not contain it. */
export function prefixWithName(name: string, message: string): string {
  if (name === '' || message.split(/[ ,]/).includes(name)) return message;
  return /^(?:is|must) /.test(message) ? `${name} ${message}` : `${name}: ${message}`;
}

/**
 * Returns the flag for a field, with its key if there is one (`--resource type`). Without a flag,
 * returns the path. A rule between several flags has no name.
 */
function nameInput(naming: InputNaming, entry: InputEntry, path: Path): string {
  if (naming === 'fields') return path.join('.') || 'data';
  if (path.length === 0) return '';
  const flag = findFlag(entry, path);
  const operand = entry.arguments?.find((each) => each.path[0] === path[0]);
  if (operand) return `<${operand.name}>`;
  if (!flag) return path[0] === entry.argument?.field ? `<${String(path[0])}>` : path.join('.');
  const field = path.length > flag.path.length ? path.at(-1) : undefined;
  const key = flag.keys?.find((known) => known.path[0] === field)?.name ?? field;
  return typeof key === 'string' ? `--${flag.name} ${key}` : `--${flag.name}`;
}

type Path = readonly PropertyKey[];

/**
 * Finds the flag for a field or an enclosing object. For a missing object, uses its first required
 * field.
 */
function findFlag({ flags }: InputEntry, fieldPath: Path): Flag | undefined {
  const callFlags = flags.filter(({ ofRecord }) => !ofRecord);
  return (
    callFlags.find(({ path }) => path.every((part, depth) => fieldPath[depth] === part)) ??
    callFlags.find(
      ({ path, required }) =>
        required && fieldPath.length > 0 && fieldPath.every((part, depth) => path[depth] === part),
    )
  );
}

/**
 * Warns about fields of `--data` that the operation does not have, which are sent unchanged.
 * @throws SvcError `invalid_input` for a field that selects a target or a role, or that is beside a
 * list of records and probably means a known one: without it, the write could go to another place
 */
export async function checkUnknownFields(
  context: Context,
  operation: Operation,
  data: Fields,
): Promise<void> {
  const { input, bulk } = operation;
  const known = Object.keys(input.shape);
  const prefix = context.inputNaming === 'flags' ? '--data: ' : '';
  const [selecting] = findSelectingInCall(operation, data);
  if (selecting) {
    const { path, means, canRename } = selecting;
    const list = bulk?.field === undefined ? undefined : bulkFieldsOf(operation);
    const advice = list?.knownFields.includes(means)
      ? `put '${means}' into each record of '${list.listName}'`
      : `it looks like '${means}', which is not a field there; remove it`;
    throw new SvcError('invalid_input', `${prefix}unknown field '${formatFieldPath(path)}'`, {
      hint: canRename ? `did you mean '${means}'?` : advice,
    });
  }
  const meant = known.filter((name) => name !== bulk?.field);
  const isUnknown = (name: string) => data[name] !== undefined && !known.includes(name);
  for (const field of Object.keys(data).filter(isUnknown)) {
    const intended = bulk?.field === undefined ? undefined : findIntendedField(field, meant);
    if (intended !== undefined)
      throw new SvcError('invalid_input', `${prefix}unknown field '${field}'`, {
        hint: `did you mean '${intended}'?`,
      });
    await context.warn(
      `${prefix}unknown field '${field}' is sent unchanged; ${didYouMean(field, known)}`,
    );
  }
}
