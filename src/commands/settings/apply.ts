import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SvcError } from '../../kernel/errors.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { readNamedFile } from '../../kernel/named-file.ts';
import { type AnyPlan, isSavedWrite, parsePlanFile } from '../../settings/plan/saved-write.ts';
import type { Context, ProcessEnvironment } from '../context.ts';
import { withInput } from '../definition.ts';
import { applyRequest, applySavedPlan } from './apply-plan.ts';
import { applyWrite } from './apply-write.ts';
import type { ApplyFlags } from './flags.ts';
import { type PlanRequest, readPlanRequest } from './read-input.ts';

/**
 * Applies a saved plan or a saved write, or plans and applies a settings file.
 * @throws SvcError like `applySavedPlan`, `applyWrite`, and `applyRequest`
 */
export const applySettings = withInput(readApplyInput, applyInput);

/** A saved plan, and the name of its file. */
interface SavedPlanFile {
  readonly plan: AnyPlan;
  readonly file: string;
}

async function applyInput(
  context: Context,
  input: SavedPlanFile | PlanRequest,
  options: ApplyFlags,
): Promise<void> {
  if (!('plan' in input)) return applyRequest(context, input, options);
  const { plan, file } = input;
  if (isSavedWrite(plan)) return applyWrite(context, { plan, file });
  return applySavedPlan(context, plan, file, options);
}

/**
 * Reads a saved plan, or loads a settings file.
 * @throws SvcError `usage` if flags would change the saved plan, or if the settings file is given
 * twice; `invalid_input` if a file is invalid
 */
async function readApplyInput(
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
    throw new SvcError('usage', 'the settings file was given both as an argument and with --file', {
      hint: 'omit --file',
    });
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
