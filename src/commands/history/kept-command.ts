import type { Command, Option } from 'commander';

/** Values that say what was done, by what stands between the brackets of their flags. Any other may be free text. */
const TELLING = new Set([
  'id',
  'n',
  'n|auto',
  'i/n',
  'path',
  'name',
  'format',
  'duration',
  'when',
  'time',
  'v',
  'url',
  'a,b',
]);

const MOST_VALUES = 5;
const LONGEST_VALUE = 100;
const HIDDEN = '…';

/** The command line as the history keeps it: every flag that was given, and of free text only that there was some. */
export function keptCommand(command: Command): string {
  const chain = [...ancestry(command)];
  const path = chain.map((level) => level.name());
  const operands = command.args.map(shortened);
  const flags = chain.toReversed().flatMap((level) => level.options.flatMap((option) => shownFlag(level, option)));
  return [...path, ...operands, ...flags].join(' ');
}

function* ancestry(command: Command): Generator<Command> {
  if (command.parent) yield* ancestry(command.parent);
  yield command;
}

function shownFlag(command: Command, option: Option): readonly string[] {
  const name = option.attributeName();
  if (command.getOptionValueSource(name) !== 'cli') return [];
  const value: unknown = command.getOptionValue(name);
  const flag = option.long ?? option.flags;
  if (typeof value === 'boolean') return value === !option.negate ? [flag] : [];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!isTelling(option)) return [`${flag} ${HIDDEN}`];
  const shown = values.slice(0, MOST_VALUES).map((one) => `${flag} ${shortened(String(one))}`);
  return values.length > MOST_VALUES ? [...shown, HIDDEN] : shown;
}

function isTelling({ flags, argChoices }: Option): boolean {
  return argChoices !== undefined || TELLING.has(/<(.*)>/.exec(flags)?.[1] ?? '');
}

function shortened(text: string): string {
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}${HIDDEN}` : text;
}
