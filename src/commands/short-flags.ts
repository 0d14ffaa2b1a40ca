/** A word of short flags, taken apart: `-qpprod` is `-q` and `-p` with the value `prod`. */
export interface ShortFlags<Flag> {
  /** Those without a value, in order. */
  readonly switches: readonly Flag[];
  /** The last one, where it takes a value. */
  readonly valued: Flag | undefined;
  /** What stands before the value: `-qp`. */
  readonly lead: string;
  /** Empty where the next word is the value. */
  readonly value: string;
}

interface Known<Flag> {
  readonly find: (name: string) => Flag | undefined;
  readonly takesValue: (flag: Flag) => boolean;
}

/** A word as the command line reads it where it begins with one dash; undefined for another word, and an unknown flag. */
export function shortFlags<Flag>(word: string, { find, takesValue }: Known<Flag>): ShortFlags<Flag> | undefined {
  if (!/^-[^-]/.test(word)) return undefined;
  const switches: Flag[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const flag = find(`-${word[at]}`);
    if (!flag) return undefined;
    if (takesValue(flag)) return { switches, valued: flag, lead: word.slice(0, at + 1), value: word.slice(at + 1) };
    switches.push(flag);
  }
  return { switches, valued: undefined, lead: word, value: '' };
}
