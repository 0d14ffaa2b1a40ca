import type * as z from 'zod/mini';
import type { Examples, Operation, ParentKind } from './define.ts';
import { deriveFlags, type Flag } from './flags.ts';
import { loadResource, type OperationName, RESOURCES, type Resource } from './index.ts';
import { definitionOf, shapeOf, unwrap } from './introspect.ts';
import { findSecretPaths, type SecretPath } from './secrets.ts';

type CopiedField =
  | 'command'
  | 'summary'
  | 'description'
  | 'auth'
  | 'effect'
  | 'columns'
  | 'argument'
  | 'selectedBy'
  | 'issuesCredential'
  | 'revealsSecrets'
  | 'wait'
  | 'settings'
  | 'decision'
  | 'isDocumented';

/**
 * An operation as plain data, so that help, completion, and routing work without loading schemas.
 */
export interface OperationEntry extends Pick<Operation, CopiedField> {
  readonly name: OperationName;
  readonly resource: Resource;
  readonly examples: Examples;
  readonly path: string;
  readonly aliases?: readonly string[];
  readonly version: string;
  readonly flags: readonly Flag[];
  /**
   * How the operation accepts many records: as one array, or from a file with one call per record.
   */
  readonly bulk?: 'array' | 'calls';
  /** Actions of `--if-exists`, if the service rejects existing records. */
  readonly ifExists?: readonly ('fail' | 'skip' | 'update')[];
  readonly createsParents?: readonly ParentKind[];
  readonly paged: boolean;
  readonly takesEvents?: true;
  /** Fields of the result that `--fields` accepts. */
  readonly fields: readonly string[];
  /**
   * Paths of secrets to mask in the response; empty if the purpose of the command is to print the
   * secret.
   */
  readonly secrets: readonly SecretPath[];
}

/**
 * The operations of the catalog, each serialized as JSON, so that a command parses only its own.
 * The build replaces this module with the computed texts, so that the built tool starts without
 * loading schemas.
 */
export const serializedOperations: Readonly<Record<OperationName, string>> = Object.fromEntries(
  (await Promise.all(RESOURCES.map(entriesOf)))
    .flat()
    .map((entry) => [entry.name, JSON.stringify(entry)]),
) as Record<OperationName, string>;

/** An entry before serialization, which drops undefined fields. */
type WrittenEntry = { readonly [Field in keyof OperationEntry]: OperationEntry[Field] | undefined };

async function entriesOf(resource: Resource): Promise<readonly WrittenEntry[]> {
  const operations: Readonly<Record<string, Operation>> = await loadResource(resource);
  return Object.entries(operations).map(([name, operation]) => {
    const {
      command,
      summary,
      description,
      examples = {},
      path,
      aliases,
      auth,
      effect,
      columns,
      argument,
      selectedBy,
      wait,
    } = operation;
    const { bulk, createsParents, pages, eventTypes, output } = operation;
    const { issuesCredential, revealsSecrets, settings, decision, isDocumented } = operation;
    return {
      name: name as OperationName,
      resource,
      command,
      summary,
      description,
      examples,
      path,
      aliases: aliases?.map((alias) => alias.path),
      version: path.split('/')[1] ?? '',
      auth,
      effect,
      flags: deriveFlags(operation),
      bulk: bulk && (bulk.field ? 'array' : 'calls'),
      ifExists:
        bulk?.ifExists && (bulk.ifExists.update ? ['fail', 'skip', 'update'] : ['fail', 'skip']),
      fields: listResultFields(operation),
      columns,
      argument,
      selectedBy,
      wait,
      createsParents: createsParents?.kinds,
      paged: pages !== undefined,
      takesEvents: eventTypes && true,
      issuesCredential,
      revealsSecrets,
      settings,
      decision,
      isDocumented,
      secrets: revealsSecrets ? [] : findSecretPaths(output),
    };
  });
}

/**
 * Lists the names that `--fields` accepts for a result, or for a list's records, from the columns
 * and the schema.
 */
function listResultFields({ output, records, columns = [] }: Operation): readonly string[] {
  const result = records === undefined ? output : shapeOf(output)[records];
  return [
    ...new Set([
      ...columns.map(({ field }) => field),
      ...(result ? listFieldPaths(elementOrSelf(result)) : []),
    ]),
  ];
}

function elementOrSelf(declared: z.ZodMiniType): z.ZodMiniType {
  const { schema } = unwrap(declared);
  return definitionOf(schema).element ?? schema;
}

function listFieldPaths(declared: z.ZodMiniType, depth = 2): readonly string[] {
  const { shape } = definitionOf(unwrap(declared).schema);
  if (shape === undefined || depth === 0) return [];
  return Object.entries(shape).flatMap(([name, inner]) => [
    name,
    ...listFieldPaths(inner, depth - 1).map((path) => `${name}.${path}`),
  ]);
}
