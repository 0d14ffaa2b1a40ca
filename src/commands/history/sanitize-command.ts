import type { Command, Option } from 'commander';

/** Flags whose values are recorded, by the name of the value: `<id>`. Values of other flags may be free text. */
const RECORDED_VALUES = new Set('id n n|auto i/n path name format duration when time v url a,b'.split(' '));

const MAX_VALUES = 5;
const MAX_VALUE_LENGTH = 100;
const ELLIPSIS = '…';

/** Formats a command line for the history: all flags, with free text replaced by an ellipsis. */
export function sanitizeCommand(command: Command): string {
  const chain = [...ancestry(command)];
  const path = chain.map((level) => level.name());
  const operands = command.args.map(truncate);
  const flags = chain.toReversed().flatMap((level) => level.options.flatMap((option) => formatFlag(level, option)));
  return [...path, ...operands, ...flags].join(' ');
}

function* ancestry(command: Command): Generator<Command> {
  if (command.parent) yield* ancestry(command.parent);
  yield command;
}

function formatFlag(command: Command, option: Option): readonly string[] {
  const name = option.attributeName();
  if (command.getOptionValueSource(name) !== 'cli') return [];
  const value: unknown = command.getOptionValue(name);
  const flag = option.long ?? option.flags;
  if (typeof value === 'boolean') return value === !option.negate ? [flag] : [];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!recordsValue(option)) return [`${flag} ${ELLIPSIS}`];
  const shown = values.slice(0, MAX_VALUES).map((one) => `${flag} ${truncate(String(one))}`);
  return values.length > MAX_VALUES ? [...shown, ELLIPSIS] : shown;
}

function recordsValue({ flags, argChoices }: Option): boolean {
  return argChoices !== undefined || RECORDED_VALUES.has(/<(.*)>/.exec(flags)?.[1] ?? '');
}

function truncate(text: string): string {
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}${ELLIPSIS}` : text;
}
