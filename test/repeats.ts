/** How many times more often than usual tests repeat random cases and kills. */
const FACTOR = Number(process.env['SVC_TEST_REPEATS'] ?? 1);

/**
 * Returns how often a test repeats a random case, a kill, or another moment of chance. `SVC_TEST_REPEATS=10` repeats all of
 * them ten times as often.
 */
export const repeats = (usual: number): number => usual * FACTOR;
