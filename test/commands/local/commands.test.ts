import { expect, it } from 'vitest';
import { adminEntries } from '../../../src/catalog/local/entries.ts';
import { LOCAL_COMMANDS } from '../../../src/commands/local/commands.ts';

it('every operation of the admin API has a command, except the one that replaces fault rules', () => {
  const commands = LOCAL_COMMANDS.map(({ command }) => command.join('.'));
  const without = adminEntries.filter(({ name }) => !commands.includes(name));
  expect(without.map(({ name }) => name)).toEqual(['local.faults.set']);
});
