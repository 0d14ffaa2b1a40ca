import type { Argument, Auth, Effect, Example, Operation, Wait } from './define.ts';
import { type Flag, flagsOf } from './flags.ts';
import { loadResource, type OperationName, RESOURCES, type Resource } from './index.ts';
import { type SecretPath, secretPaths } from './secrets.ts';

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

/**
 * Every operation of the catalog. The build replaces this module with its value, so that the built tool starts
 * without loading a schema; run from source, it is computed here.
 */
export const manifest: readonly OperationEntry[] = (await Promise.all(RESOURCES.map(entriesOf))).flat();

async function entriesOf(resource: Resource): Promise<OperationEntry[]> {
  const operations: Readonly<Record<string, Operation>> = await loadResource(resource);
  return Object.entries(operations).map(([name, operation]) => ({
    name: name as OperationName,
    resource,
    command: operation.command,
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    examples: operation.examples ?? [],
    path: operation.path,
    version: operation.path.split('/')[1] ?? '',
    auth: operation.auth,
    effect: operation.effect,
    flags: flagsOf(operation),
    ...(operation.bulk && { bulk: operation.bulk.field ? ('array' as const) : ('calls' as const) }),
    ...(operation.argument && { argument: operation.argument }),
    ...(operation.chosenBy && { chosenBy: operation.chosenBy }),
    ...(operation.wait && { wait: operation.wait }),
    paged: operation.pages !== undefined,
    secrets: operation.revealsSecrets ? [] : secretPaths(operation.output),
  }));
}
