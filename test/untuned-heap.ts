import { syncBuiltinESMExports } from 'node:module';
import v8 from 'node:v8';

// Some commands limit the heap of their process. The processes of the tests run many files, which
// would all be slower.
v8.setFlagsFromString = () => undefined;
syncBuiltinESMExports();
