import * as z from 'zod/mini';
import type { Argument, Operation } from '../define.ts';
import { described } from '../metadata.ts';
import type { SecretPath } from '../secrets.ts';
import { DEFAULT_LIMIT } from './default-limit.ts';

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

/** Part of the embedded service: all of it, its data, its log of requests, or its snapshots. */
export type AdminNeed = 'service' | 'data' | 'requests' | 'snapshots';

/**
 * An operation of the admin API, which `svc serve` has under `/_svc/` for the admin token. `svc
 * local` runs it without a server. Defines the route with its checks, and the command with its
 * flags and help.
 */
export interface AdminOperation<
  Input extends z.ZodMiniObject = z.ZodMiniObject,
  Output extends z.ZodMiniType = z.ZodMiniType,
  Need extends AdminNeed = AdminNeed,
> extends Pick<Operation<Input, Output>, SharedField> {
  readonly auth: 'admin';
  readonly needs: Need;
  /** Names fields of the input as `<field>`. */
  readonly path: `/_svc/${string}`;
  /** Fields that are arguments of the command, in order. */
  readonly arguments?: readonly Argument<keyof z.output<Input> & string>[];
  /** Paths of secrets in the output. */
  readonly secrets?: (input: z.output<Input>) => readonly SecretPath[];
}

/** Type-checks an operation, and adds its credential and its command. */
export function defineAdminOperation<
  Input extends z.ZodMiniObject,
  Output extends z.ZodMiniType,
  // `never` reports a missing `needs` only here, and not at each handler too.
  Need extends AdminNeed = never,
>(
  name: `local.${string}`,
  operation: Omit<AdminOperation<Input, Output, Need>, 'auth' | 'command'>,
): AdminOperation<Input, Output, Need> {
  const [first = '', ...rest] = name.split('.');
  return { auth: 'admin', ...operation, command: [first, ...rest] };
}

/** Creates the schema of a result. The service creates results of this type, so nothing checks them. */
export const result = <Value>() => z.custom<Value>();

/** Creates the schema of the number of results. */
export const limitOf = (noun: string) =>
  described(
    z._default(z.int().check(z.gte(1)), DEFAULT_LIMIT),
    `maximum number of ${noun} (default: ${DEFAULT_LIMIT})`,
  );
