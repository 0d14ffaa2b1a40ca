import type { Command } from 'commander';
import { hint, SvcError } from '../../kernel/errors.ts';
import type { GlobalFlagGroup } from '../definition.ts';
import { GLOBAL_FLAG_GROUPS, GLOBAL_FLAGS } from '../global-flags.ts';
import { getFlagValue, longName } from '../options.ts';
import { flagsOf, type LoadedLeaf } from '../tree/leaf.ts';
import { commandPath, helpStep } from './command-words.ts';

const GROUPED: ReadonlySet<string> = new Set(Object.values(GLOBAL_FLAG_GROUPS).flat());

/**
 * Creates a predicate for the global flags that a command accepts, by long name without dashes:
 * `base-url`. A command may define a global flag itself, to describe it differently; its value is
 * still that of the global flag.
 */
export function honoredFlagsOf(leaf: LoadedLeaf): (name: string) => boolean {
  const own = flagsOf(leaf).map(longName);
  const honored = new Set([
    ...groupsOf(leaf).flatMap((group) => GLOBAL_FLAG_GROUPS[group]),
    ...own,
  ]);
  return (name) => honored.has(name) || !GROUPED.has(name);
}

export function isLocalOnly(leaf: LoadedLeaf): boolean {
  const groups = groupsOf(leaf);
  return groups.includes('local') && !groups.includes('profile');
}

function groupsOf(leaf: LoadedLeaf): readonly GlobalFlagGroup[] {
  if (leaf.kind === 'tool') return leaf.definition.globalFlags;
  return [
    'service',
    'result',
    'dry-run',
    ...(leaf.versions[0].bulk === 'array' ? [] : (['envelope'] as const)),
  ];
}

const NETWORK_FLAGS = [
  'profile',
  'base-url',
  'ca-file',
  'client-cert',
  'client-key',
  'insecure-http',
];

/**
 * Rejects global flags that the command does not support. Environment variables and profiles with
 * unsupported settings are allowed.
 * @param given parsed values of the global flags
 * @throws SvcError `usage` with the first unsupported flag
 */
export function checkGlobalFlags(leaf: LoadedLeaf, given: object, command: Command): void {
  const isHonored = honoredFlagsOf(leaf);
  const names = GLOBAL_FLAGS.map(longName).filter((name) => isGiven(given, name));
  const refused = names.find((name) => !isHonored(name));
  if (refused !== undefined) {
    throw new SvcError('usage', `${commandPath(command)} does not support --${refused}`, {
      hint:
        isLocalOnly(leaf) && NETWORK_FLAGS.includes(refused)
          ? 'omit the flag: this command calls no service over the network'
          : hint`see ${helpStep(command)}`,
    });
  }
  const networkFlag = names.find((name) => NETWORK_FLAGS.includes(name));
  if (names.includes('local') && networkFlag !== undefined) {
    throw new SvcError('usage', `--local and --${networkFlag} cannot be combined`, {
      hint: '--local uses the embedded service of this machine',
    });
  }
  if (names.includes('store') && !names.includes('local') && !isLocalOnly(leaf))
    throw new SvcError('usage', '--store requires --local', {
      hint: '--store selects the data of the embedded service',
    });
}

/** Whether a flag was given. `--no-headers` sets `headers` to false. */
function isGiven(given: object, name: string): boolean {
  return name.startsWith('no-')
    ? getFlagValue(given, name.slice(3)) === false
    : getFlagValue(given, name) !== undefined;
}
