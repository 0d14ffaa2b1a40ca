import { SvcError } from '../../kernel/errors.ts';
import { readProfiles } from '../../profiles/profiles-file.ts';
import { listEnvironments } from '../../settings/file/load-settings.ts';
import { hashFile } from '../../settings/file/read-files.ts';
import { readSettings } from '../../settings/file/read-settings.ts';
import type { SavedPlan } from '../../settings/plan/saved-plan.ts';
import type { Context } from '../context.ts';
import { isEnvironmentOf } from './choose-environment.ts';

/**
 * Returns the environment of a saved plan, if the settings file on this machine is the one that the
 * plan was made from, and maps the environment to the target of the plan.
 */
export async function findPlanEnvironment(
  context: Context,
  { environment, names, files, target }: SavedPlan,
): Promise<string | undefined> {
  if (environment === null || !names) return undefined;
  const { cwd, signal, io, folders } = context;
  try {
    for (const { path, sha256 } of files)
      if ((await hashFile(path, cwd, signal)).sha256 !== sha256) return undefined;
    const request = { file: names.file, environment, cwd, stdin: io.stdin.stream, signal };
    const { fields } = await readSettings(request);
    const declared = listEnvironments(fields.environments).find(({ name }) => name === environment);
    const { profiles } = await readProfiles(folders);
    const saved = profiles.get(declared?.profile ?? '');
    return declared && isEnvironmentOf(declared, saved, target) ? environment : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SvcError)) throw error;
    return undefined;
  }
}
