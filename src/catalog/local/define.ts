import * as z from 'zod';
import type { Argument, Operation } from '../define.ts';
import type { SecretPath } from '../secrets.ts';

/** Fields that operations of the admin API share with those of the public API. */
type SharedField =
  | 'command'
  | 'summary'
  | 'description'
  | 'examples'
  | 'effect'
  | 'input'
  | 'output'
  | 'columns'
  | 'selectedBy';

/**
 * An operation of the admin API, which `svc serve` has under `/_svc/` for the admin token. `svc
 * local` runs it without a server. Defines the route with its checks, and the command with its
 * flags and help.
 */
export interface AdminOperation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> extends Pick<Operation<Input, Output>, SharedField> {
  readonly auth: 'admin';
  /** Names fields of the input as `<field>`. */
  readonly path: `/_svc/${string}`;
  /** Fields that are arguments of the command, in order. */
  readonly arguments?: readonly Argument<keyof z.output<Input> & string>[];
  /** Paths of secrets in the output. */
  readonly secrets?: (input: z.output<Input>) => readonly SecretPath[];
}

/** Type-checks an operation, and adds its credential and its command. */
export function defineAdminOperation<Input extends z.ZodObject, Output extends z.ZodType>(
  name: `local.${string}`,
  operation: Omit<AdminOperation<Input, Output>, 'auth' | 'command'>,
): AdminOperation<Input, Output> {
  const [first = '', ...rest] = name.split('.');
  return { auth: 'admin', ...operation, command: [first, ...rest] };
}

/** Creates the schema of a result. The service creates results of this type, so nothing checks them. */
export const result = <Value>() => z.custom<Value>();

const DEFAULT_LIMIT = 50;

/** Creates the schema of the number of results. */
export const limitOf = (noun: string) =>
  z
    .int()
    .min(1)
    .default(DEFAULT_LIMIT)
    .describe(`maximum number of ${noun} (default: ${DEFAULT_LIMIT})`);
