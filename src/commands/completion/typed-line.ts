import type { Node, OptionDefinition } from '../definition.ts';
import { GLOBAL_FLAGS, HELP_FLAG, VERSION_FLAG } from '../global-flags.ts';
import { shortFlags } from '../short-flags.ts';
import { flagsOf, type LoadedLeaf, loadLeaf } from '../tree/leaf.ts';

/** A command line that is being typed, read up to its last word, which is the one to complete. */
export interface TypedLine {
  /** The command or group that has been reached. */
  readonly node: Node;
  readonly leaf: LoadedLeaf | undefined;
  /** The flags that may stand here. */
  readonly flags: readonly OptionDefinition[];
  /** The values of the flags before the last word, by long name. */
  readonly given: ReadonlyMap<string, string>;
  /** Words before the last one that are neither commands nor flags. */
  readonly operands: readonly string[];
  /** The flag whose value the last word is. */
  readonly valueOf: OptionDefinition | undefined;
  /** What has been typed of the word, of its value alone where it is `--flag=value` or `-fvalue`. */
  readonly typed: string;
  /** What stands before it in the same word: `--flag=` or `-f`. */
  readonly lead: string;
}

const ANYWHERE = [...GLOBAL_FLAGS, VERSION_FLAG, HELP_FLAG];

/** Reads what has been typed. A word that makes no sense is passed over: completion helps as far as it can. */
export async function readTypedLine(root: Node, words: readonly string[]): Promise<TypedLine> {
  const last = words.at(-1) ?? '';
  const line = new Reading(root);
  for (const word of words.slice(0, -1)) await line.take(word);
  const { node, leaf, flags, given, operands } = line;
  const base = { node, leaf, flags, given, operands, lead: '' };
  if (line.pending) return { ...base, valueOf: line.pending, typed: last };
  const attached = line.ended ? undefined : line.attached(last);
  if (attached) return { ...base, ...attached };
  return { ...base, valueOf: undefined, typed: last, ...(line.ended && { flags: [] }) };
}

class Reading {
  node: Node;
  leaf: LoadedLeaf | undefined;
  flags: readonly OptionDefinition[] = ANYWHERE;
  readonly given = new Map<string, string>();
  readonly operands: string[] = [];
  /** The flag that waits for its value. */
  pending: OptionDefinition | undefined;
  /** After `--`, where no word is a flag. */
  ended = false;

  constructor(root: Node) {
    this.node = root;
  }

  flag(name: string): OptionDefinition | undefined {
    return this.flags.find(({ flags }) => namesOf(flags).includes(name));
  }

  /** The flag and its value where both are one word, as far as that is typed. */
  attached(word: string): Pick<TypedLine, 'valueOf' | 'typed' | 'lead'> | undefined {
    const [, name = '', value = ''] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    const flag = this.flag(name);
    if (flag && takesValue(flag)) return { valueOf: flag, typed: value, lead: `${name}=` };
    const short = this.#short(word);
    return short?.value ? { valueOf: short.valued, typed: short.value, lead: short.lead } : undefined;
  }

  async take(word: string): Promise<void> {
    if (this.pending) {
      this.given.set(longName(this.pending), word);
      this.pending = undefined;
    } else if (word === '--') this.ended = true;
    else if (!this.ended && word.startsWith('-') && word !== '-') this.#takeFlag(word);
    else await this.#takeWord(word);
  }

  #short(word: string) {
    return shortFlags(word, { find: (name) => this.flag(name), takesValue });
  }

  #takeFlag(word: string): void {
    const short = this.#short(word);
    if (short) {
      for (const flag of short.switches) this.given.set(longName(flag), 'true');
      if (short.valued && short.value) this.given.set(longName(short.valued), short.value);
      else this.pending = short.valued;
      return;
    }
    const [name = '', ...rest] = word.split('=');
    const flag = this.flag(name);
    if (!flag) return;
    if (rest.length > 0) this.given.set(longName(flag), rest.join('='));
    else if (takesValue(flag)) this.pending = flag;
    else this.given.set(longName(flag), 'true');
  }

  async #takeWord(word: string): Promise<void> {
    const child = this.leaf ? undefined : this.node.children.get(word);
    if (!child) {
      this.operands.push(word);
      return;
    }
    this.node = child;
    if (!child.leaf) return;
    this.leaf = await loadLeaf(child.leaf);
    this.flags = [...flagsOf(this.leaf), ...ANYWHERE];
  }
}

/** `-o` and `--output` of `-o, --output <format>`. */
export function namesOf(flags: string): readonly string[] {
  return flags.replace(/ .?<.*$/, '').split(', ');
}

/** The name of a flag as `given` holds it, without dashes. */
export function longName({ flags }: OptionDefinition): string {
  return (namesOf(flags).at(-1) ?? '').replace(/^--/, '');
}

export function takesValue({ flags }: OptionDefinition): boolean {
  return flags.includes('<');
}
