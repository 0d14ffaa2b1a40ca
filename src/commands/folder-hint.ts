import type { SvcError } from '../kernel/errors.ts';
import { FOLDER_VARIABLES, type Folders } from '../kernel/folders.ts';

/**
 * Adds the variable that moves a folder of svc to an error about a file in it, unless the error has
 * a hint that explains more than a full disk.
 */
export function withFolderHint(error: SvcError, folders: Folders): SvcError {
  const known = error.structuredHint;
  const isExplained = known !== undefined && !error.message.includes('disk is full');
  if (error.failure !== 'local' || isExplained) return error;
  const name = (['config', 'state', 'data'] as const).find((each) =>
    error.message.includes(folders[each]),
  );
  if (name === undefined) return error;
  const hint = `to use another folder, set ${FOLDER_VARIABLES[name]}`;
  return error.reworded({ hint: known === undefined ? hint : `${error.hint}; ${hint}` });
}
