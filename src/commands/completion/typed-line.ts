import type { Node, OptionDefinition } from '../definition.ts';
import { GLOBAL_FLAGS, HELP_FLAG, VERSION_FLAG } from '../global-flags.ts';
import { longName } from '../options.ts';
import { findChild } from '../tree/aliases.ts';
import { flagsOf, type LoadedLeaf, loadLeaf } from '../tree/leaf.ts';

export interface TypedLine {
  readonly node: Node;
  readonly leaf: LoadedLeaf | undefined;
  readonly flags: readonly OptionDefinition[];
  /** Values of the flags before the last word, by the flag's long name. */
  readonly givenFlags: ReadonlyMap<string, string>;
  readonly operands: readonly string[];
  readonly valueFlag: OptionDefinition | undefined;
  /**
   * Typed text of the last word. For `--flag=value` and `-fvalue`, only the typed text of the
   * value.
   */
  readonly partial: string;
  /** Text before `partial` in the same word: `--flag=` or `-f`. */
  readonly prefix: string;
}

const COMMON_FLAGS: readonly OptionDefinition[] = [...GLOBAL_FLAGS, VERSION_FLAG, HELP_FLAG];

/** Parses a partial command line. Skips unknown words. */
export async function parseTypedLine(root: Node, words: readonly string[]): Promise<TypedLine> {
  const [givenFlags, operands] = [new Map<string, string>(), [] as string[]];
  let [node, flags] = [root, COMMON_FLAGS];
  let leaf: LoadedLeaf | undefined;
  let valueFlag: OptionDefinition | undefined;
  let isPastSeparator = false;
  for (const word of words.slice(0, -1)) {
    if (valueFlag) {
      givenFlags.set(longName(valueFlag), word);
      valueFlag = undefined;
    } else if (word === '--') isPastSeparator = true;
    else if (!isPastSeparator && word.startsWith('-') && word !== '-') {
      const { switches = [], flag, value } = splitFlags(word, flags) ?? {};
      for (const each of switches) givenFlags.set(longName(each), 'true');
      if (flag && value === undefined && takesValue(flag)) valueFlag = flag;
      else if (flag) givenFlags.set(longName(flag), value ?? 'true');
    } else {
      const child = leaf ? undefined : findChild(node, word);
      if (!child) operands.push(word);
      node = child ?? node;
      leaf ??= child?.leaf && (await loadLeaf(child.leaf));
      if (leaf) flags = [...flagsOf(leaf), ...COMMON_FLAGS];
    }
  }
  const line = {
    node,
    leaf,
    flags,
    givenFlags,
    operands,
    prefix: '',
    valueFlag,
    partial: words.at(-1) ?? '',
  };
  if (valueFlag) return line;
  if (isPastSeparator) return { ...line, flags: [] };
  const { flag, value, prefix = '' } = splitFlags(line.partial, flags) ?? {};
  return flag && takesValue(flag) && value !== undefined
    ? { ...line, valueFlag: flag, partial: value, prefix }
    : line;
}

/**
 * Splits a word into flags. For example, `-qpprod` is the switch `-q`, followed by `-p` with the
 * value `prod`.
 */
function splitFlags(word: string, flags: readonly OptionDefinition[]) {
  const findFlag = (name: string) =>
    flags.find((flag) =>
      flag.flags
        .replace(/ .?<.*$/, '')
        .split(', ')
        .includes(name),
    );
  const [, name, value] = /^(--[\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
  if (name !== undefined) return { switches: [], flag: findFlag(name), value, prefix: `${name}=` };
  if (!/^-[^-]/.test(word)) return undefined;
  const switches: OptionDefinition[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const flag = findFlag(`-${word[at]}`);
    if (!flag) return undefined;
    if (takesValue(flag))
      return {
        switches,
        flag,
        value: word.slice(at + 1) || undefined,
        prefix: word.slice(0, at + 1),
      };
    switches.push(flag);
  }
  return { switches, flag: undefined, value: undefined, prefix: word };
}

function takesValue({ flags }: OptionDefinition): boolean {
  return flags.includes('<');
}
