import fc from 'fast-check';
import { repeats } from './repeats.ts';

// For properties that do not set their own number of cases.
fc.configureGlobal({ numRuns: repeats(100) });
