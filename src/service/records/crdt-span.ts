/** A stretch in which two sequences differ: what is before `start` and behind the two ends is the same in both. */
export interface Span {
  readonly start: number;
  /** Where the stretch ends in the earlier and in the later sequence. */
  readonly before: number;
  readonly after: number;
}

/** The shortest stretch that makes one sequence into the other when it is replaced. */
export function differingSpan<Item>(
  before: ArrayLike<Item>,
  after: ArrayLike<Item>,
  isSame: (one: Item | undefined, other: Item | undefined) => boolean = Object.is,
): Span {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && isSame(before[start], after[start])) start++;
  let same = 0;
  while (same < most - start && isSame(before[before.length - 1 - same], after[after.length - 1 - same])) same++;
  return { start, before: before.length - same, after: after.length - same };
}

/** As `differingSpan`, of texts; no half of a surrogate pair is left on either side. */
export function differingText(before: string, after: string): Span {
  const span = differingSpan<string>(before, after);
  const back = isHighSurrogate(before.charCodeAt(span.start - 1)) ? 1 : 0;
  const forth = isLowSurrogate(before.charCodeAt(span.before)) ? 1 : 0;
  return { start: span.start - back, before: span.before + forth, after: span.after + forth };
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdb_ff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc_00 && unit <= 0xdf_ff;
}
