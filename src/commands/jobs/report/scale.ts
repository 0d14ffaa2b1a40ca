/** The top of an axis and its marks, in equal distances from 0. */
export interface Scale {
  readonly most: number;
  readonly marks: readonly number[];
}

const ROUND = [1, 2, 2.5, 5];
const INTERVALS = { fewest: 3, most: 5 };

/** The lowest scale from 0 that holds a value, in three to five intervals of a round length. */
export function scaleFor(value: number): Scale {
  const highest = Math.max(value, Number.MIN_VALUE);
  const power = 10 ** Math.floor(Math.log10(highest));
  const steps = [power / 10, power].flatMap((unit) => ROUND.map((round) => round * unit));
  const fits = steps
    .map((step) => ({ step, intervals: Math.max(INTERVALS.fewest, Math.ceil(highest / step - 1e-9)) }))
    .filter(({ intervals }) => intervals <= INTERVALS.most)
    .toSorted((one, other) => one.step * one.intervals - other.step * other.intervals);
  const { step, intervals } = fits[0] ?? { step: highest, intervals: 1 };
  return { most: step * intervals, marks: Array.from({ length: intervals + 1 }, (_, at) => at * step) };
}
