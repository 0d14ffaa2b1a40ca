/** The maximum and the ticks of an axis that starts at 0. */
export interface AxisScale {
  readonly max: number;
  readonly ticks: readonly number[];
}

const ROUND_FACTORS = [1, 2, 2.5, 5];
const INTERVALS = { fewest: 3, most: 5 };

/** Creates the smallest scale that includes a value and has three to five round intervals. */
export function createScale(value: number): AxisScale {
  const highest = Math.max(value, Number.MIN_VALUE);
  const power = 10 ** Math.floor(Math.log10(highest));
  const steps = [power / 10, power].flatMap((unit) => ROUND_FACTORS.map((round) => round * unit));
  const fits = steps
    .map((step) => ({ step, intervals: Math.max(INTERVALS.fewest, Math.ceil(highest / step - 1e-9)) }))
    .filter(({ intervals }) => intervals <= INTERVALS.most)
    .toSorted((one, other) => one.step * one.intervals - other.step * other.intervals);
  const { step, intervals } = fits[0] ?? { step: highest, intervals: 1 };
  return { max: step * intervals, ticks: Array.from({ length: intervals + 1 }, (_, at) => at * step) };
}
