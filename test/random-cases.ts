import fc from 'fast-check';
import { repeats } from './repeats.ts';

// Each run tries the same cases, so that a failure belongs to the change that it tests.
const seed = process.env['SVC_TEST_SEED'] ?? '1';

fc.configureGlobal({
  // For properties that do not set their own number of cases.
  numRuns: repeats(100),
  seed: seed === 'random' ? Date.now() : Number(seed),
});
