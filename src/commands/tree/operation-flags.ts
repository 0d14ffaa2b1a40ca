import type { Flag, FlagKind } from '../../catalog/flags.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { BULK_FLAGS } from '../bulk/bulk-flags.ts';
import type { OptionDefinition } from '../definition.ts';
import { given } from '../option-values.ts';

/** The flags of a command that stands for one operation in one or several versions. */
export function operationFlags(versions: readonly OperationEntry[]): readonly OptionDefinition[] {
  const flags = new Map(versions.flatMap((entry) => entry.flags.map((flag) => [flag.name, flag] as const)));
  const [first] = versions;
  return [
    ...[...flags.values()].flatMap(definitionsOf),
    ...(first?.bulk ? BULK_FLAGS : []),
    ...(first?.paged ? [{ flags: '--all', describes: 'follow the pages to the end' }] : []),
    ...(first?.wait ? [{ flags: '--wait', describes: 'wait for the end, and exit by how it ended' }] : []),
    ...(versions.length > 1
      ? [
          {
            flags: '--api-version <v>',
            describes: 'version of the call',
            choices: versions.map((entry) => entry.version),
          },
        ]
      : []),
    { flags: '--data <json>', describes: "the whole data object: JSON, @file or '-'; flags are laid over it" },
  ];
}

const REPEATED: readonly FlagKind[] = ['list', 'map', 'switches', 'entries', 'changes'];

function definitionsOf(flag: Flag): OptionDefinition[] {
  const { name, kind } = flag;
  const describes = flag.required && !flag.ofRecord ? `${flag.describes} (required)` : flag.describes;
  if (kind === 'boolean') return switchDefinitions(flag, describes);
  if (kind === 'secret') {
    return [
      { flags: `--${name}-file <path>`, describes: `${describes}: read it from a file` },
      { flags: `--${name}-stdin`, describes: `${describes}: read it from stdin` },
    ];
  }
  return [
    {
      flags: `--${name} <${placeholder(flag)}>`,
      describes,
      ...given('choices', flag.choices),
      ...(REPEATED.includes(kind) && { many: true }),
    },
  ];
}

function switchDefinitions({ name, off }: Flag, describes: string): OptionDefinition[] {
  return [
    { flags: `--${name}`, describes },
    { flags: off ? `--${off}` : `--no-${name}`, describes: '' },
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

function placeholder({ kind, path }: Flag): string {
  return PLACEHOLDERS[kind] ?? (/Ids?$|^id$|^apiKey$/.test(path.at(-1) ?? '') ? 'id' : 'text');
}
