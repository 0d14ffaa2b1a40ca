import type { Flag, FlagKind } from '../../catalog/flags.ts';
import type { OperationName } from '../../catalog/index.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { bulkFlags } from '../bulk/bulk-flags.ts';
import {
  ALL_FLAG,
  ALLOW_UNKNOWN_EVENT_FLAG,
  API_VERSION_FLAG,
  DATA_FLAG,
  WAIT_FLAG,
} from '../call/call-flags.ts';
import type {
  ArgumentDefinition,
  CommandDefinition,
  Leaf,
  OperationRunner,
  OptionDefinition,
} from '../definition.ts';
import { type FlagSource, optionalProperty } from '../options.ts';

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
    ];
  }
  return [...operationFlags(leaf.versions), ...(leaf.runner?.options ?? [])];
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
      .flatMap((flag) => flagDefinitions(flag, first?.bulk !== undefined)),
    ...createFlags(first, flags),
    ...(first?.bulk ? bulkFlags(first) : []),
    ...(first?.paged ? [ALL_FLAG] : []),
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
  return kinds.map((kind) => ({
    flags: `--create-${kind}`,
    description: `create the ${kind} without asking if it does not exist`,
  }));
}

const REPEATABLE_KINDS: readonly FlagKind[] = ['list', 'map', 'switches', 'entries', 'changes'];

function isRequired({ required, ofRecord }: Flag): boolean {
  return required && !ofRecord;
}

/** Finds out where the value of a required flag may come from instead. */
function sourcesOf({ path: [field] }: Flag, isBulk: boolean): readonly FlagSource[] {
  return [
    ...(isBulk ? (['records'] as const) : []),
    ...(field === 'organizationId' ? (['settings'] as const) : []),
  ];
}

function flagDefinitions(flag: Flag, isBulk: boolean): OptionDefinition[] {
  const { name, kind, off = `no-${name}`, description } = flag;
  if (kind === 'boolean') {
    return [
      { flags: `--${name}`, description },
      { flags: `--${off}`, description: `opposite of --${name}`, negates: name },
    ];
  }
  if (kind === 'secret') {
    return [
      { flags: `--${name}-file <path>`, description: `file with the ${description}` },
      { flags: `--${name}-stdin`, description: `read the ${description} from stdin` },
    ];
  }
  const placeholder =
    PLACEHOLDERS[kind] ?? (/Ids?$|^id$|^apiKey$/.test(flag.path.at(-1) ?? '') ? 'id' : 'text');
  return [
    {
      flags: `--${name} <${placeholder}>`,
      description,
      ...(isRequired(flag) && { required: true, suppliedBy: sourcesOf(flag, isBulk) }),
      ...optionalProperty('choices', flag.choices),
      ...(REPEATABLE_KINDS.includes(kind) && { many: true }),
    },
  ];
}

const PLACEHOLDERS: Readonly<Partial<Record<FlagKind, string>>> = {
  number: 'n',
  map: 'key=value',
  switches: 'key=true',
  changes: 'field=from:to',
  entry: 'key=value,…',
  entries: 'key=value,…',
  json: 'json',
  time: 'time',
};
