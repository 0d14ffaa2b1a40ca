import type * as z from 'zod/mini';
import { valueAt, withoutValue } from '../kernel/field-path.ts';
import { lowerFirst } from '../kernel/first-letter.ts';
import type { Fields } from '../kernel/json.ts';
import { quoteForShell } from '../kernel/quote-for-shell.ts';
import { commandArguments, dataArguments } from './command-text.ts';
import type { Examples, Operation, ParentKind } from './define.ts';
import { deriveFlags, type Flag } from './flags.ts';
import { loadResource, type OperationName, RESOURCES, type Resource } from './index.ts';
import { definitionOf, shapeOf, unwrap } from './introspect.ts';
import type { KnownValues } from './sample-data.ts';
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
  /** Command lines with their captions. The first one is the sample. */
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

/** Values in examples that only the service knows. */
const EXAMPLE_VALUES: KnownValues = { apiKey: 'K', last: () => 'm1' };

/** Maximum characters of an example, unless a valid call needs more. */
const EXAMPLE_WIDTH = 90;

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
  const commands = Object.values(operations).map(({ command }) => command.join(' '));
  return Object.entries(operations).map(([name, operation], at) => {
    const {
      command,
      summary,
      description,
      examples,
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
      // Another version of a command has the same help.
      examples:
        commands.indexOf(command.join(' ')) === at
          ? { [createExample(operation)]: examples ? captionOf(operation) : '', ...examples }
          : {},
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

/** Describes the example for the sample of an operation that has others. */
function captionOf({ bulk, command, summary }: Operation): string {
  const [verb] = command.at(-1)?.split('-') ?? [];
  return bulk ? `${verb} a single ${bulk.noun}` : lowerFirst(summary);
}

/**
 * Creates a command line for the sample of an operation. Drops values that are empty or secret. If
 * the line is too long, drops the last values of the sample that a valid call does not need.
 */
function createExample(operation: Operation): string {
  const { argument, bulk, command, confirm, input, sample } = operation;
  const flags = deriveFlags(operation);
  const list = bulk?.bareIds ? undefined : bulk?.field;
  const getRecord = (data: Fields): Fields =>
    list === undefined ? {} : Object(valueAt(data, [list, 0]));
  const removeValue = (
    data: Fields,
    { path, ofRecord }: Pick<Flag, 'path' | 'ofRecord'>,
  ): Fields =>
    ofRecord && list !== undefined
      ? { ...data, [list]: [withoutValue(getRecord(data), path)] }
      : withoutValue(data, path);
  const createLine = (data: Fields) => {
    const fields = { ...data, ...getRecord(data) };
    const hasFlags = Object.keys(fields).every(
      (name) =>
        name === list || name === argument?.field || flags.some(({ path }) => path[0] === name),
    );
    const words = hasFlags
      ? commandArguments({ ...operation, flags, paged: false }, fields)
      : dataArguments(command, data);
    return ['svc', ...words].map(quoteForShell).join(' ');
  };
  const full = sample(EXAMPLE_VALUES);
  const ordered = Object.keys(full)
    .flatMap((name) => (name === list ? Object.keys(getRecord(full)) : [name]))
    .flatMap((name) => flags.filter(({ path }) => path[0] === name));
  const isHidden = ({ kind, path }: Flag) => kind === 'secret' || valueAt(full, path) === '';
  let data = ordered.filter(isHidden).reduce(removeValue, full);
  for (const { path, ofRecord } of ordered.toReversed()) {
    if (createLine(data).length <= EXAMPLE_WIDTH) break;
    data =
      [path, path.slice(0, 1)]
        .map((removed) => removeValue(data, { path: removed, ofRecord }))
        .find((fewer) => input.safeParse(fewer).success) ?? data;
  }
  const isConfirmed = confirm?.(input.parse(full)) !== undefined;
  return isConfirmed ? `${createLine(data)} --yes` : createLine(data);
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
