import { syncBuiltinESMExports } from 'node:module';
import v8 from 'node:v8';

// Some commands tune the heap of their process: they disable compilers and collect all garbage. The
// processes of the tests run many files, which would all be several times slower.
v8.setFlagsFromString = () => undefined;
globalThis.gc = (() => undefined) as NodeJS.GCFunction;
syncBuiltinESMExports();
