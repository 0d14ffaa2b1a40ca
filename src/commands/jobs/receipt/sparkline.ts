const STEPS = '▁▂▃▄▅▆▇█';

/** Values as bars of one line: the highest is a full block, and nothing at all a blank. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(...values, 0);
  return values.map((value) => (value > 0 ? STEPS[Math.ceil((value / most) * STEPS.length) - 1] : ' ')).join('');
}
