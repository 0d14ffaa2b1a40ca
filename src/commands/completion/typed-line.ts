import type { Node, OptionDefinition } from '../definition.ts';
import { GLOBAL_FLAGS, HELP_FLAG, VERSION_FLAG } from '../global-flags.ts';
import { longName } from '../option-values.ts';
import { findChild } from '../tree/aliases.ts';
import { flagsOf, type LoadedLeaf, loadLeaf } from '../tree/leaf.ts';

export interface TypedLine {
  readonly node: Node;
  readonly leaf: LoadedLeaf | undefined;
  readonly flags: readonly OptionDefinition[];
  /** Values of the flags before the last word, by the flag's long name. */
  readonly givenFlags: ReadonlyMap<string, string>;
  /** Words before the last one that are neither commands nor flags. */
  readonly operands: readonly string[];
  /** Flag whose value is the last word. */
  readonly valueFlag: OptionDefinition | undefined;
  /** Typed text of the last word. For `--flag=value` and `-fvalue`, only the typed text of the value. */
  readonly partial: string;
  /** Text before `partial` in the same word: `--flag=` or `-f`. */
  readonly prefix: string;
}

const COMMON_FLAGS = [...GLOBAL_FLAGS, VERSION_FLAG, HELP_FLAG];

/** Parses a partial command line. Skips unknown words. */
export async function parseTypedLine(root: Node, words: readonly string[]): Promise<TypedLine> {
  const last = words.at(-1) ?? '';
  const line = new LineParser(root);
  for (const word of words.slice(0, -1)) await line.consume(word);
  const { node, leaf, flags, givenFlags, operands } = line;
  const base = { node, leaf, flags, givenFlags, operands, prefix: '' };
  if (line.pending) return { ...base, valueFlag: line.pending, partial: last };
  const attached = line.isPastSeparator ? undefined : line.attachedValue(last);
  if (attached) return { ...base, ...attached };
  return { ...base, valueFlag: undefined, partial: last, ...(line.isPastSeparator && { flags: [] }) };
}

class LineParser {
  node: Node;
  leaf: LoadedLeaf | undefined;
  flags: readonly OptionDefinition[] = COMMON_FLAGS;
  readonly givenFlags = new Map<string, string>();
  readonly operands: string[] = [];
  /** Flag whose value is the next word. */
  pending: OptionDefinition | undefined;
  /** Whether `--` was parsed. No later word is a flag. */
  isPastSeparator = false;

  constructor(root: Node) {
    this.node = root;
  }

  findFlag(name: string): OptionDefinition | undefined {
    return this.flags.find(({ flags }) => namesOf(flags).includes(name));
  }

  /** Splits a word that contains a flag and a partial value: `--flag=value` or `-fvalue`. */
  attachedValue(word: string): Pick<TypedLine, 'valueFlag' | 'partial' | 'prefix'> | undefined {
    const { flag, value, prefix = '' } = this.#splitFlags(word) ?? {};
    return flag && takesValue(flag) && value !== undefined ? { valueFlag: flag, partial: value, prefix } : undefined;
  }

  async consume(word: string): Promise<void> {
    if (this.pending) {
      this.givenFlags.set(longName(this.pending), word);
      this.pending = undefined;
    } else if (word === '--') this.isPastSeparator = true;
    else if (!this.isPastSeparator && word.startsWith('-') && word !== '-') this.#takeFlag(word);
    else await this.#takeWord(word);
  }

  /** Splits a word into flags. For example, `-qpprod` is the switch `-q`, followed by `-p` with the value `prod`. */
  #splitFlags(word: string) {
    const [, name, value] = /^(--[\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name !== undefined) return { switches: [], flag: this.findFlag(name), value, prefix: `${name}=` };
    if (!/^-[^-]/.test(word)) return undefined;
    const switches: OptionDefinition[] = [];
    for (let at = 1; at < word.length; at += 1) {
      const flag = this.findFlag(`-${word[at]}`);
      if (!flag) return undefined;
      if (takesValue(flag)) return { switches, flag, value: word.slice(at + 1) || undefined, prefix: word.slice(0, at + 1) };
      switches.push(flag);
    }
    return { switches, flag: undefined, value: undefined, prefix: word };
  }

  #takeFlag(word: string): void {
    const { switches = [], flag, value } = this.#splitFlags(word) ?? {};
    for (const each of switches) this.givenFlags.set(longName(each), 'true');
    if (flag && value === undefined && takesValue(flag)) this.pending = flag;
    else if (flag) this.givenFlags.set(longName(flag), value ?? 'true');
  }

  async #takeWord(word: string): Promise<void> {
    const child = this.leaf ? undefined : findChild(this.node, word);
    if (!child) {
      this.operands.push(word);
      return;
    }
    this.node = child;
    if (!child.leaf) return;
    this.leaf = await loadLeaf(child.leaf);
    this.flags = [...flagsOf(this.leaf), ...COMMON_FLAGS];
  }
}

/** Returns the names in a flag definition: `-o` and `--output` for `-o, --output <format>`. */
function namesOf(flags: string): readonly string[] {
  return flags.replace(/ .?<.*$/, '').split(', ');
}

function takesValue({ flags }: OptionDefinition): boolean {
  return flags.includes('<');
}
