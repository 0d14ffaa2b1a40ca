import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { readNamedFile } from '../../kernel/named-file.ts';
import { type AnyPlan, isSavedWrite, parsePlanFile } from '../../settings/plan/saved-write.ts';
import type { DeclaredSettings, Kind } from '../../settings/settings.ts';
import type { Context, ProcessEnvironment } from '../context.ts';
import { parseWholeNumber } from '../options.ts';
import { chooseEnvironment } from './choose-environment.ts';
import type { ApplyFlags, ChangeFlags } from './flags.ts';
import { loadSettingsFile } from './load-settings-file.ts';
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

/** A saved plan, and the name of its file. */
export interface SavedPlanFile {
  readonly plan: AnyPlan;
  readonly file: string;
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

/**
 * Reads a saved plan, or loads a settings file.
 * @throws SvcError `usage` if flags would change the saved plan, or if the settings file is given
 * twice; `invalid_input` if a file is invalid
 */
export async function readApplyInput(
  context: Context,
  options: ApplyFlags,
  [argument]: readonly string[],
): Promise<SavedPlanFile | PlanRequest> {
  if (argument === undefined) return readPlanRequest(context, options);
  const plan = await readSavedPlan(context, argument);
  if (plan) {
    assertUnchanged(plan, options);
    return { plan, file: argument };
  }
  if (options.file !== undefined)
    throw new SvcError('usage', 'the settings file was given both as an argument and with --file');
  return readPlanRequest(context, { ...options, file: argument });
}

function assertUnchanged(plan: AnyPlan, { allowReplace, ...others }: ApplyFlags): void {
  if (Object.keys(others).length === 0 && !(isSavedWrite(plan) && allowReplace)) return;
  const problem = isSavedWrite(plan)
    ? 'the plan of a write cannot be changed'
    : 'a saved plan cannot be changed; only --allow-replace can be added';
  throw new SvcError('usage', problem, {
    hint: 'create a new plan with these flags',
  });
}

/**
 * Reads a saved plan; `undefined` if the file is not JSON with a digest, and so can only be a
 * settings file.
 */
async function readSavedPlan(
  { cwd, signal }: ProcessEnvironment,
  file: string,
): Promise<AnyPlan | undefined> {
  const isFile = (await stat(resolve(cwd, file)).catch(() => undefined))?.isFile();
  if (!isFile || /\.ya?ml$/i.test(file)) return undefined;
  const text = (await readNamedFile(file, cwd, { signal })).toString();
  const content = tryParseJson(text);
  return isObject(content) && 'sha256' in content ? parsePlanFile(text, file) : undefined;
}
