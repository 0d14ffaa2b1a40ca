import { commandWords } from '../../catalog/command-text.ts';
import { entryOfCommand, type OperationEntry } from '../../catalog/manifest.ts';
import type { SvcError } from '../../kernel/errors.ts';
import { type Hint, hint, type NextStep, type StepKind, step } from '../../kernel/hint.ts';

type Input = Readonly<Record<string, unknown>>;

/** The step that calls an operation for the same organization. */
type Called = (kind: StepKind, entry: OperationEntry) => NextStep;

/** The same refusal with what makes or lists what was not found, where that can be told. */
export function withWayOut(entry: OperationEntry, input: Input, error: SvcError): SvcError {
  const { failure, message } = error;
  if (error.hint !== undefined || (failure !== 'not_found' && failure !== 'invalid_argument')) return error;
  const called = (kind: StepKind, other: OperationEntry) =>
    step(kind, ...commandWords({ ...other, paged: false }, { organizationId: input['organizationId'] }));
  const way =
    hintForNoun(entry, input, message, called) ?? (failure === 'not_found' && hintForGroup(entry, input, called));
  return way ? error.told({ hint: way }) : error;
}

/** A sentence that begins with what is missing: it is about what the call is in, and not what it is about. */
const MISSING = /^(organization|folder|document) (?:was )?not found\b/i;

/** What is missing by the service's own words. They only choose among hints. */
function hintForNoun(
  { flags, command }: OperationEntry,
  input: Input,
  message: string,
  called: Called,
): string | Hint | undefined {
  const noun = MISSING.exec(message)?.[1]?.toLowerCase();
  if (noun === undefined) return undefined;
  const maker = `create-${noun}`;
  const made = flags.find(({ name, ofRecord }) => name === maker && !ofRecord);
  if (made && input[made.path[0] ?? ''] !== true) return `--${maker} makes it first`;
  const lister = entryOfCommand([`${noun}s`, 'list']);
  if (lister && lister.command.join(' ') !== command.join(' '))
    return hint`${called('list', lister)} shows those there are`;
  const adder = entryOfCommand([`${noun}s`, 'add']);
  return adder && !lister ? hint`${called('change', adder)} makes it` : undefined;
}

/** The list of what the command is about one of. */
function hintForGroup({ command, argument, flags }: OperationEntry, input: Input, called: Called): Hint | undefined {
  const lister = entryOfCommand([...command.slice(0, -1), 'list']);
  const isAboutOne = argument !== undefined || lister?.command.join(' ') === command.join(' ');
  if (!lister || !isAboutOne) return undefined;
  const hasMore = flags.some(({ path }) => path[0] !== 'organizationId' && input[path[0] ?? ''] !== undefined);
  return argument || hasMore ? hint`${called('list', lister)} shows those there are` : undefined;
}
