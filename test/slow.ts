/**
 * Marks a test that takes more than about 0.3 s of processor time (0.07 s in the project `unit`), or
 * waits for more than 2 s, unless it is the only basic test of a feature. `npm test` skips such tests, and
 * `npm run test:slow` runs only them.
 */
export const SLOW = { tags: 'slow' };
