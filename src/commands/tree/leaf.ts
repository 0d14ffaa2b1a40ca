import type { Flag } from '../../catalog/flags.ts';
import { canSaveWrite } from '../../catalog/harmless.ts';
import type { OperationName } from '../../catalog/index.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { bulkFlags } from '../bulk/bulk-flags.ts';
import {
  ALLOW_UNKNOWN_EVENT_FLAG,
  API_VERSION_FLAG,
  DATA_FLAG,
  OUT_FLAG,
  WAIT_FLAG,
} from '../call/call-flags.ts';
import { createFlagDefinitions, isRequired } from '../call/flag-definitions.ts';
import type {
  ArgumentDefinition,
  CommandDefinition,
  Leaf,
  OperationRunner,
  OptionDefinition,
} from '../definition.ts';
import { ALL_FLAG, createListFlags } from '../list-flags.ts';
import { optionalProperty } from '../options.ts';

export type LoadedLeaf =
  | {
      readonly kind: 'operation';
      readonly versions: readonly [OperationEntry, ...OperationEntry[]];
      readonly runner?: OperationRunner;
    }
  | {
      readonly kind: 'tool';
      readonly definition: CommandDefinition;
      readonly operation?: OperationEntry;
    };

export async function loadLeaf(leaf: Leaf): Promise<LoadedLeaf> {
  if (leaf.kind === 'tool') {
    const definition = await leaf.definition();
    const { flagsOf: name } = definition;
    return {
      kind: 'tool',
      definition,
      ...optionalProperty('operation', name && (await loadEntries([name]))[0]),
    };
  }
  const [first, ...others] = await loadEntries(leaf.names);
  return {
    kind: 'operation',
    versions: [first, ...others],
    ...optionalProperty('runner', await leaf.runner?.()),
  };
}

async function loadEntries(
  names: readonly OperationName[],
): Promise<readonly [OperationEntry, ...OperationEntry[]]> {
  const { serializedOperations } = await import('../../catalog/serialized-operations.ts');
  const [first, ...others] = names.map(
    (name): OperationEntry => JSON.parse(serializedOperations[name]),
  );
  if (!first) throw new TypeError('a command needs at least one operation');
  return [first, ...others];
}

export function flagsOf(leaf: LoadedLeaf): readonly OptionDefinition[] {
  if (leaf.kind === 'tool') {
    const { operation, definition } = leaf;
    // No flag is required, because the tool prompts for missing values.
    const flags = operation?.flags.map((flag) => ({ ...flag, required: false })) ?? [];
    return [
      ...(operation ? operationFlags([{ ...operation, flags }]) : []),
      ...(definition.options ?? []),
      ...createListFlags(definition.listEnd),
    ];
  }
  const [entry] = leaf.versions;
  return [
    ...operationFlags(leaf.versions),
    ...(!leaf.runner && canSaveWrite(entry) ? [OUT_FLAG] : []),
    ...(leaf.runner?.options ?? []),
  ];
}

/** Whether the command prints a list, of which flags select the records. */
export function printsList(leaf: LoadedLeaf): boolean {
  return leaf.kind === 'tool'
    ? leaf.definition.listEnd !== undefined
    : isListOperation(leaf.versions[0]);
}

function isListOperation({ columns, effect }: OperationEntry): boolean {
  return columns !== undefined && effect === 'read';
}

function pageFlagsOf(entry: OperationEntry): readonly OptionDefinition[] {
  if (isListOperation(entry)) return createListFlags(entry.paged ? 'page' : 'complete');
  return entry.paged ? [ALL_FLAG] : [];
}

export function argumentsOf(leaf: LoadedLeaf): readonly ArgumentDefinition[] {
  if (leaf.kind === 'tool') return leaf.definition.arguments ?? [];
  const { argument } = leaf.versions[0];
  // The value may come from `--data`. The check of the input reports a missing value.
  return argument
    ? [
        {
          name: argument.field,
          description: '',
          required: false,
          ...optionalProperty('many', argument.many),
        },
      ]
    : [];
}

function operationFlags(versions: readonly OperationEntry[]): readonly OptionDefinition[] {
  const flags = new Map(
    versions.flatMap((entry) => entry.flags.map((flag) => [flag.name, flag] as const)),
  );
  const [first] = versions;
  return [
    ...[...flags.values()]
      .sort((a, b) => Number(isRequired(b)) - Number(isRequired(a)))
      .flatMap((flag) => createFlagDefinitions(flag, { isBulk: first?.bulk !== undefined })),
    ...createFlags(first, flags),
    ...(first?.bulk ? bulkFlags(first) : []),
    ...(first ? pageFlagsOf(first) : []),
    ...(first?.takesEvents ? [ALLOW_UNKNOWN_EVENT_FLAG] : []),
    ...(first?.wait ? [WAIT_FLAG] : []),
    ...(versions.length > 1
      ? [{ ...API_VERSION_FLAG, choices: versions.map((entry) => entry.version) }]
      : []),
    DATA_FLAG,
  ];
}

/**
 * Creates flags such as `--create-user`, which allow creating a missing parent. Skips names that a
 * field uses.
 */
function createFlags(
  entry: OperationEntry | undefined,
  flags: ReadonlyMap<string, Flag>,
): readonly OptionDefinition[] {
  const kinds = (entry?.createsParents ?? []).filter((kind) => !flags.has(`create-${kind}`));
  return kinds.flatMap((kind) => [
    {
      flags: `--create-${kind}`,
      description: `create the ${kind} without asking if it does not exist`,
    },
    {
      flags: `--no-create-${kind}`,
      description: `fail if the ${kind} does not exist`,
      negates: `create-${kind}`,
    },
  ]);
}
