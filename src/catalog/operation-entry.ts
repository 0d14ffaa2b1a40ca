import type { Argument, Auth, Effect, Example, Wait } from './define.ts';
import type { Flag } from './flags.ts';
import type { OperationName, Resource } from './index.ts';
import type { SecretPath } from './secrets.ts';

/** What a command line needs to know of an operation, as plain data: help, completion and routing read it without loading a schema. */
export interface OperationEntry {
  readonly name: OperationName;
  readonly resource: Resource;
  readonly command: readonly [string, ...string[]];
  readonly summary: string;
  readonly description?: string;
  readonly examples: readonly Example[];
  readonly path: string;
  readonly version: string;
  readonly auth: Auth;
  readonly effect: Effect;
  readonly flags: readonly Flag[];
  /** It takes many records: in an array of its own, or each in a call of its own when they come from a file. */
  readonly bulk?: 'array' | 'calls';
  readonly argument?: Argument;
  /** Of several operations on one path, this one is meant when the field is given. */
  readonly chosenBy?: string;
  readonly wait?: Wait;
  readonly paged: boolean;
  /** Where its reply holds secrets that output masks; empty when the secret is what the command is for. */
  readonly secrets: readonly SecretPath[];
}
