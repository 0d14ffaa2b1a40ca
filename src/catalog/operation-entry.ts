import type { Argument, Auth, Column, Effect, Examples, ParentKind, Wait } from './define.ts';
import type { Flag } from './flags.ts';
import type { OperationName, Resource } from './index.ts';
import type { SecretPath } from './secrets.ts';

/** An operation as plain data, so that help, completion, and routing work without loading schemas. */
export interface OperationEntry {
  readonly name: OperationName;
  readonly resource: Resource;
  readonly command: readonly [string, ...string[]];
  readonly summary: string;
  readonly description?: string;
  readonly examples: Examples;
  readonly path: string;
  readonly version: string;
  readonly auth: Auth;
  readonly effect: Effect;
  readonly flags: readonly Flag[];
  /** How the operation accepts many records: as one array, or from a file with one call per record. */
  readonly bulk?: 'array' | 'calls';
  /** Actions of `--if-exists`, if the service rejects existing records. */
  readonly ifExists?: readonly ('fail' | 'skip' | 'update')[];
  readonly argument?: Argument;
  /** Field whose presence selects this operation among several with the same path. */
  readonly selectedBy?: string;
  readonly wait?: Wait;
  readonly createsParents?: readonly ParentKind[];
  readonly paged: boolean;
  /** Commands reject unknown event types in the input. */
  readonly takesEvents?: true;
  /** Fields of the result that `--fields` accepts. */
  readonly fields: readonly string[];
  readonly columns?: readonly Column[];
  /** Paths of secrets to mask in the response; empty if the purpose of the command is to print the secret. */
  readonly secrets: readonly SecretPath[];
}
