import type { TestProject } from 'vitest/node';
import createRunFolder from '../run-folder.ts';
import { startCluster } from './cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a database for all tests of a run; undefined if PostgreSQL is not installed. */
    readonly postgres: string | undefined;
  }
}

/** Starts one server for a test run. */
export default async function provideCluster(project: TestProject): Promise<() => Promise<void>> {
  // Vitest runs this before the setup of all projects.
  const deleteFolder = createRunFolder();
  const cluster = await startCluster();
  project.provide('postgres', cluster?.url('postgres'));
  return async () => {
    await cluster?.remove();
    deleteFolder?.();
  };
}
