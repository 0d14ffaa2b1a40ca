import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import type { DeclaredSettings, Kind } from '../../settings/settings.ts';
import type { Context, ProcessEnvironment } from '../context.ts';
import { parseWholeNumber } from '../options.ts';
import type { ChangeFlags } from './flags.ts';
import { loadSettingsFile } from './load-settings-file.ts';
import { chooseEnvironment } from './open-environment.ts';
import type { ReadMembers } from './read-members.ts';

export const DEFAULT_FILE = 'svc.yaml';

/** A settings file to plan, and the flags that limit the plan. */
export interface PlanRequest {
  readonly settings: DeclaredSettings;
  /** Kinds to plan; empty for all. */
  readonly only: readonly Kind[];
  readonly prune: boolean;
  readonly pruneLimit: number | undefined;
  /** Members of the organizations, if a file declares them. */
  readonly members?: ReadMembers | undefined;
}

/**
 * Loads the settings file that the flags select.
 * @throws SvcError `usage` for an invalid flag or if the file does not exist, `invalid_input` if it
 * is invalid
 */
export async function readPlanRequest(
  context: Context,
  { file, env, only = [], prune = false, pruneLimit }: ChangeFlags,
): Promise<PlanRequest> {
  const limit = parseWholeNumber('--prune-limit', pruneLimit, 0);
  const name = file ?? (await findDefaultFile(context));
  const settings = await loadSettingsFile(context, name, env);
  const chosen =
    env === undefined ? await chooseEnvironment(context, name, settings.environments) : undefined;
  return {
    settings: chosen === undefined ? settings : await loadSettingsFile(context, name, chosen),
    only,
    prune,
    pruneLimit: limit,
  };
}

async function findDefaultFile({ cwd }: ProcessEnvironment): Promise<string> {
  if (await stat(resolve(cwd, DEFAULT_FILE)).catch(() => undefined)) return DEFAULT_FILE;
  throw new SvcError('usage', `file not found: ${DEFAULT_FILE}`, {
    hint: hint`create it from the live settings with ${step('show', 'pull')}, or name another file with --file`,
  });
}
