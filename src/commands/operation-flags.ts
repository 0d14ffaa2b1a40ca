import type { Flag } from '../catalog/flags.ts';
import type { OperationEntry } from '../catalog/manifest.ts';
import { BULK_FLAGS } from './bulk-flags.ts';
import type { OptionDefinition } from './definition.ts';

/** The flags of a command that stands for one operation in one or several versions. */
export function operationFlags(versions: readonly OperationEntry[]): readonly OptionDefinition[] {
  const flags = new Map(versions.flatMap((entry) => entry.flags.map((flag) => [flag.name, flag] as const)));
  const [first] = versions;
  return [
    ...[...flags.values()].flatMap(definitionsOf),
    ...(first?.bulk ? BULK_FLAGS : []),
    ...(first?.paged ? [{ flags: '--all', describes: 'follow the pages to the end' }] : []),
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

function definitionsOf(flag: Flag): OptionDefinition[] {
  const describes = flag.required && !flag.ofRecord ? `${flag.describes} (required)` : flag.describes;
  const choices = flag.choices ? { choices: flag.choices } : {};
  if (flag.kind === 'boolean') {
    return [
      { flags: `--${flag.name}`, describes },
      { flags: `--no-${flag.name}`, describes: '' },
    ];
  }
  const many = flag.kind === 'list' || flag.kind === 'map';
  return [{ flags: `--${flag.name} <${placeholder(flag)}>`, describes, ...choices, ...(many && { many }) }];
}

function placeholder(flag: Flag): string {
  if (flag.kind === 'number') return 'n';
  if (flag.kind === 'map') return 'key=value';
  if (flag.kind === 'json') return 'json';
  return /Ids?$|^id$/.test(flag.path.at(-1) ?? '') ? 'id' : 'text';
}
