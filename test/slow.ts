/**
 * Marks a test that takes more than about 0.3 s of processor time, or 0.1 s in the project `unit`,
 * unless it is the basic test of a command. `npm test` skips such tests, and `npm run test:slow`
 * runs only them.
 */
export const SLOW = { tags: 'slow' };
