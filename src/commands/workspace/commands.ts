import { defineRunner, type OperationRunner } from '../definition.ts';
import { CREATE_FLAGS } from './flags.ts';

export const CREATE_WORKSPACE_RUNNER: OperationRunner = defineRunner({
  operation: 'workspace.create',
  options: CREATE_FLAGS,
  load: async () => (await import('./create.ts')).createWorkspace,
});
