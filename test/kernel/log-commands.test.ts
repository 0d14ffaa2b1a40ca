import { describe, expect, it } from 'vitest';
import { createLogGuard, isSwitchedOn } from '../../src/kernel/log-commands.ts';

/** Lines of a log that a build system obeys, as its documentation describes them. */
const SYSTEMS: Readonly<Record<string, (line: string) => boolean>> = {
  // "::name key=value::text" after spaces, and the older "##[name key=value]text" anywhere.
  GITHUB_ACTIONS: (line) => /^::[^:]/.test(line.trim()) || /##\[/.test(line),
  // "##vso[area.action key=value;]text", and formats such as "##[error]text".
  TF_BUILD: (line) => /##vso\[|##\[/i.test(line),
  TEAMCITY_VERSION: (line) => /##teamcity\[/i.test(line),
};

const TEXTS = [
  '::add-mask::acme',
  '  ::error file=a.ts,line=1::failed',
  'a\n\t::stop-commands::x\nb',
  '##[add-mask]acme',
  'name ##[error]x',
  '##vso[task.prependpath]/tmp/x',
  'a ##VSO[task.setvariable variable=a]b',
  "##teamcity[setParameter name='env.PATH' value='x']",
  "x ##teamcity[message text='a']",
  '####[a]',
];

describe.each(Object.entries(SYSTEMS))('in a log of %s', (variable, isCommand) => {
  it.each(TEXTS)('no line of %j is a command, and the rest is kept', (text) => {
    const broken = createLogGuard({ [variable]: 'True' })?.(text) ?? '';
    const commands = text.split('\n').filter(isCommand);
    expect(broken.split('\n').filter(isCommand)).toEqual([]);
    expect(broken.replaceAll('\\', '')).toBe(text);
    expect(broken === text).toBe(commands.length === 0);
  });
});

it('changes nothing elsewhere', () => {
  expect(createLogGuard({})).toBeUndefined();
  expect(createLogGuard({ GITHUB_ACTIONS: 'false', TF_BUILD: '' })).toBeUndefined();
});

it.each([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['FALSE', false],
  ['0', false],
  ['', false],
  [undefined, false],
])('takes CI=%s for %j', (value, isOn) => {
  expect(isSwitchedOn(value)).toBe(isOn);
});
