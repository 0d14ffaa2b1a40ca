import { defineConfig } from 'vitest/config';
import { repeats } from './test/repeats.ts';
import { SLOW } from './test/slow.ts';

/** Tests that run the built svc, or start other processes. */
const ACCEPTANCE = ['test/acceptance/**/*.test.ts', 'test/**/*.process.test.ts'];
/** Tests that build, pack, and install svc. */
const PACKAGING = ['test/packaging/**/*.test.ts'];
const POLL = { timeout: 40_000 };

export default defineConfig({
  test: {
    globalSetup: ['test/node-version.ts', 'test/run-folder.ts'],
    // Files share processes, which load modules only once, and optimize their code.
    isolate: false,
    setupFiles: ['test/forget-secrets.ts', 'test/untuned-heap.ts', 'test/random-cases.ts'],
    // Many tests start processes, which takes a while on a busy machine.
    testTimeout: repeats(60_000),
    hookTimeout: 60_000,
    expect: { poll: POLL },
    // More workers than processors, since many tests wait for processes, time limits, or a database.
    // A fourth takes 18 % more processor time, since each worker compiles the code again.
    maxWorkers: 3,
    tags: [
      { name: SLOW.tags, description: 'npm test skips these; npm run test:slow runs only these.' },
    ],
    coverage: { provider: 'v8', include: ['src/**'], reporter: ['text', 'html'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Without it, a loop over an empty list passes.
          expect: { poll: POLL, requireAssertions: true },
          include: ['test/**/*.test.ts'],
          // Types are checked by the compiler.
          exclude: ['test/postgres/**', 'test/**/*.types.test.ts', ...ACCEPTANCE, ...PACKAGING],
        },
      },
      { extends: true, test: { name: 'acceptance', include: ACCEPTANCE } },
      { extends: true, test: { name: 'packaging', include: PACKAGING } },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: ['test/{postgres,service}/**/*.test.ts'],
          // Tests without a store, of file stores, or of behavior that does not depend on the kind
          // of store. The acceptance tests kill servers of a PostgreSQL store.
          exclude: [
            'test/service/{access,bad-input,bodies,crdt-content,crdt-xml,local,store-failures,store-file,file-queue,server,serving.process,shared-transactions,transaction-cache,transports}.test.ts',
            'test/service/deliveries/{lanes,http-sender,private-addresses}.test.ts',
            'test/service/local/{admin,choose-fault,fault-file,faults,requests,snapshots,snapshots.process}.test.ts',
          ],
          env: { SVC_TEST_STORE: 'postgres' },
          globalSetup: 'test/postgres/setup.ts',
          setupFiles: 'test/postgres/skip.ts',
        },
      },
    ],
  },
});
