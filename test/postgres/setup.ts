import type { TestProject } from 'vitest/node';
import { startCluster } from './cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a database for all tests of a run; none where PostgreSQL is not installed. */
    readonly postgres: string | undefined;
  }
}

/** One server for a run of the tests. */
export default async function provideCluster(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startCluster();
  project.provide('postgres', cluster?.url('postgres'));
  return async () => cluster?.remove();
}
