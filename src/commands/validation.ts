import type * as z from 'zod';
import type { Operation } from '../catalog/define.ts';
import type { Flag } from '../catalog/flags.ts';
import type { OperationEntry } from '../catalog/manifest.ts';
import { SvcError } from '../kernel/errors.ts';
import { valueAt } from '../kernel/field-path.ts';

/**
 * Checks an operation's input before anything is sent. The error names the flag of the field where there is one.
 * @throws SvcError of the given kind: `usage` for what flags said, `bad_data` for what a document said.
 */
export function checkInput(
  entry: OperationEntry,
  operation: Operation,
  input: unknown,
  failure: 'usage' | 'bad_data',
): Readonly<Record<string, unknown>> {
  const checked = operation.input.safeParse(input);
  if (checked.success) return checked.data;
  const [issue, ...others] = checked.error.issues;
  if (!issue) throw new TypeError('a refusal without a reason');
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  throw new SvcError(failure, `${describe(entry, issue, input)}${more}`, {
    hint: `see svc ${entry.command.join(' ')} --help`,
  });
}

function describe(entry: OperationEntry, issue: z.core.$ZodIssue, input: unknown): string {
  const flag = flagOf(entry, issue.path);
  const field = flag ? `--${flag.name}` : issue.path.join('.') || 'data';
  const isMissing = issue.code === 'invalid_type' && valueAt(input, issue.path) === undefined;
  const inner = flag && issue.path.length > flag.path.length ? `: ${String(issue.path.at(-1))}` : '';
  if (isMissing) return `${field}${inner} is required`;
  return `${field}: ${inFlags(entry, issue.message)}`;
}

/** The flag of a field or of what is around it; for a missing object, that of its first required field. */
function flagOf({ flags }: OperationEntry, at: readonly PropertyKey[]): Flag | undefined {
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
