/** A parsed group of short flags. For example, `-qpprod` is `-q`, followed by `-p` with the value `prod`. */
export interface ShortFlags<Flag> {
  readonly switches: readonly Flag[];
  /** The last flag of the group, if it takes a value. */
  readonly valueFlag: Flag | undefined;
  /** Text before the value: `-qp`. */
  readonly prefix: string;
  /** The attached value. Empty without a value, or if the value is the next argument. */
  readonly value: string;
}

export function parseShortFlags<Flag>(
  word: string,
  { find, takesValue }: { find(name: string): Flag | undefined; takesValue(flag: Flag): boolean },
): ShortFlags<Flag> | undefined {
  if (!/^-[^-]/.test(word)) return undefined;
  const switches: Flag[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const flag = find(`-${word[at]}`);
    if (!flag) return undefined;
    if (takesValue(flag)) return { switches, valueFlag: flag, prefix: word.slice(0, at + 1), value: word.slice(at + 1) };
    switches.push(flag);
  }
  return { switches, valueFlag: undefined, prefix: word, value: '' };
}
