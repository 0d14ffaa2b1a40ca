import type { Command } from 'commander';
import { SvcError } from '../../kernel/errors.ts';
import { hint } from '../../kernel/hint.ts';
import { GLOBAL_FLAGS } from '../global-flags.ts';
import { getFlagValue, longName } from '../option-values.ts';
import { honoredFlagsOf, isLocalOnly } from '../tree/honored-flags.ts';
import type { LoadedLeaf } from '../tree/leaf.ts';
import { commandPath, helpStep } from './command-words.ts';

const NETWORK_FLAGS = ['profile', 'base-url', 'ca-file', 'insecure-http'];

/**
 * Rejects global flags that the command does not support. Environment variables and profiles with unsupported settings
 * are allowed.
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
          ? `omit the flag: this command always uses the embedded service of this machine`
          : hint`see ${helpStep(command)}`,
    });
  }
  const networkFlag = names.find((name) => NETWORK_FLAGS.includes(name));
  if (names.includes('local') && networkFlag !== undefined) {
    throw new SvcError('usage', `--local and --${networkFlag} cannot be combined`, {
      hint: '--local uses the embedded service of this machine',
    });
  }
  if (names.includes('store') && !names.includes('local') && !isLocalOnly(leaf)) {
    throw new SvcError('usage', '--store requires --local', { hint: '--store selects the data of the embedded service' });
  }
}

/** Whether a flag was given. `--no-headers` sets `headers` to false. */
function isGiven(given: object, name: string): boolean {
  return name.startsWith('no-') ? getFlagValue(given, name.slice(3)) === false : getFlagValue(given, name) !== undefined;
}
