const STEPS = '▁▂▃▄▅▆▇█';

/** Renders values as a line of bars. The highest value is a full block, and 0 is a space. */
export function renderSparkline(values: readonly number[]): string {
  const most = Math.max(...values, 0);
  return values.map((value) => (value > 0 ? STEPS[Math.ceil((value / most) * STEPS.length) - 1] : ' ')).join('');
}
