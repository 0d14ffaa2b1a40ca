/** How many times more often than usual tests repeat random cases and kills. */
const FACTOR = Number(process.env['SVC_TEST_REPEATS'] ?? 1);
// With no repeats, such tests would test nothing and pass.
if (!Number.isInteger(FACTOR) || FACTOR < 1)
  throw new Error('SVC_TEST_REPEATS must be a positive integer');

/**
 * Returns how often a test repeats a random case, a kill, or another moment of chance.
 * `SVC_TEST_REPEATS=10` repeats all of them ten times as often.
 */
export const repeats = (usual: number): number => usual * FACTOR;

/** Returns the elements of a list, repeated like {@link repeats}. */
export const repeatList = <T>(usual: readonly T[]): readonly T[] =>
  Array.from({ length: FACTOR }).flatMap(() => usual);
