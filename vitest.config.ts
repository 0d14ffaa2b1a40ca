import { defineConfig } from 'vitest/config';

/** Tests that leave nothing behind in their process: one process loads the modules of many files once. */
const PURE = 'test/{bulk,catalog,client,kernel,output}/**/*.test.ts';

export default defineConfig({
  test: {
    globalSetup: 'test/node-version.ts',
    // Many tests start processes of their own; on a machine that is busy, each start takes a while.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 40_000 } },
    maxWorkers: 2,
    coverage: { provider: 'v8', include: ['src/**'], reporter: ['text', 'html'] },
    projects: [
      { extends: true, test: { name: 'pure', include: [PURE], isolate: false } },
      { extends: true, test: { name: 'svc', include: ['test/**/*.test.ts'], exclude: ['test/postgres/**', PURE] } },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: ['test/{postgres,service}/**/*.test.ts'],
          // About no store, or about files.
          exclude: [
            'test/service/{access,crdt-content,crdt-xml,local,store-failures,store-file,turns}.test.ts',
            'test/service/deliveries/{lanes,post,private-addresses}.test.ts',
          ],
          env: { SVC_TEST_STORE: 'postgres' },
          globalSetup: 'test/postgres/setup.ts',
          setupFiles: 'test/postgres/skip.ts',
        },
      },
    ],
  },
});
