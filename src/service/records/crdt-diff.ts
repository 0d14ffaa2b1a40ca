/** The range in which two sequences differ. */
export interface SequenceDiff {
  readonly start: number;
  /** End of the range in the earlier sequence, exclusive. */
  readonly beforeEnd: number;
  /** End of the range in the later sequence, exclusive. */
  readonly afterEnd: number;
}

/** Finds the shortest range to replace in order to turn one sequence into the other. */
export function diffSequences<Item>(
  before: ArrayLike<Item>,
  after: ArrayLike<Item>,
  isSame: (one: Item | undefined, other: Item | undefined) => boolean = Object.is,
): SequenceDiff {
  const limit = Math.min(before.length, after.length);
  let start = 0;
  while (start < limit && isSame(before[start], after[start])) start++;
  let common = 0;
  while (common < limit - start && isSame(before[before.length - 1 - common], after[after.length - 1 - common]))
    common++;
  return { start, beforeEnd: before.length - common, afterEnd: after.length - common };
}

/** Finds the shortest range to replace in a text. Never splits a surrogate pair. */
export function diffTexts(before: string, after: string): SequenceDiff {
  const diff = diffSequences<string>(before, after);
  const extraStart = isHighSurrogate(before.charCodeAt(diff.start - 1)) ? 1 : 0;
  const extraEnd = isLowSurrogate(before.charCodeAt(diff.beforeEnd)) ? 1 : 0;
  return { start: diff.start - extraStart, beforeEnd: diff.beforeEnd + extraEnd, afterEnd: diff.afterEnd + extraEnd };
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdb_ff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc_00 && unit <= 0xdf_ff;
}
