import type { SvcError } from '../kernel/errors.ts';
import { FOLDER_VARIABLES, type Folders } from '../kernel/folders.ts';

/**
 * Adds the variable that moves a folder of svc to an error about a file in it, unless the error has
 * a hint.
 */
export function withFolderHint(error: SvcError, folders: Folders): SvcError {
  if (error.failure !== 'local' || error.structuredHint !== undefined) return error;
  const name = (['config', 'state', 'data'] as const).find((each) =>
    error.message.includes(folders[each]),
  );
  if (name === undefined) return error;
  return error.reworded({ hint: `to use another folder, set ${FOLDER_VARIABLES[name]}` });
}
