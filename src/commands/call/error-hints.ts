import { commandArguments } from '../../catalog/command-text.ts';
import { findEntryByCommand, type OperationEntry } from '../../catalog/manifest.ts';
import {
  type Hint,
  hint,
  type NextStep,
  type StepKind,
  type SvcError,
  step,
} from '../../kernel/errors.ts';
import { quoteId } from '../../kernel/id-text.ts';

type Input = Readonly<Record<string, unknown>>;

export function withHint(entry: OperationEntry, input: Input, error: SvcError): SvcError {
  const { failure, message } = error;
  if (error.hint !== undefined || (failure !== 'not_found' && failure !== 'invalid_argument'))
    return error;
  const nextStep =
    hintForMissingParent(entry, input, message) ??
    (failure === 'not_found' && listHint(entry, input));
  return nextStep
    ? error.reworded({ message: nameOrganization(message, input), hint: nextStep })
    : error;
}

function nameOrganization(message: string, { organizationId }: Input): string {
  return typeof organizationId === 'string' && message === 'Organization not found.'
    ? `organization ${quoteId(String(organizationId))} not found`
    : message;
}

const MISSING_PARENT = /^(organization|folder|document) (?:was )?not found\b/i;

function createStep(kind: StepKind, entry: OperationEntry, { organizationId }: Input): NextStep {
  return step(kind, ...commandArguments({ ...entry, paged: false }, { organizationId }));
}

function createListHint(entry: OperationEntry, input: Input): Hint {
  const noun = entry.command.at(-2)?.replaceAll('-', ' ') ?? '';
  return hint`to list the ${noun}, run ${createStep('list', entry, input)}`;
}

function hintForMissingParent(
  { flags, command }: OperationEntry,
  input: Input,
  message: string,
): string | Hint | undefined {
  const noun = MISSING_PARENT.exec(message)?.[1]?.toLowerCase();
  if (noun === undefined) return undefined;
  const createFlagName = `create-${noun}`;
  const createFlag = flags.find(({ name, ofRecord }) => name === createFlagName && !ofRecord);
  if (createFlag && input[createFlag.path[0] ?? ''] !== true)
    return `add --${createFlagName} to create it`;
  const listEntry = findEntryByCommand([`${noun}s`, 'list']);
  if (listEntry && listEntry.command.join(' ') !== command.join(' '))
    return createListHint(listEntry, input);
  const addEntry = findEntryByCommand([`${noun}s`, 'add']);
  return addEntry && !listEntry
    ? hint`to create it, run ${createStep('change', addEntry, input)}`
    : undefined;
}

function listHint({ command, argument, flags }: OperationEntry, input: Input): Hint | undefined {
  if (flags.some(({ name, required }) => name === 'api-key' && required))
    return hint`to list the API keys, run ${step('list', 'workspace', 'get')}`;
  const listEntry = findEntryByCommand([...command.slice(0, -1), 'list']);
  const hasSingleTarget =
    argument !== undefined || listEntry?.command.join(' ') === command.join(' ');
  if (!listEntry || !hasSingleTarget) return undefined;
  const hasMore = flags.some(
    ({ path }) => path[0] !== 'organizationId' && input[path[0] ?? ''] !== undefined,
  );
  return argument || hasMore ? createListHint(listEntry, input) : undefined;
}
