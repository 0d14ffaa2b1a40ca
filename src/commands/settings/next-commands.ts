import { commandLineOf, step } from '../../kernel/errors.ts';
import { isSameTarget } from '../../profiles/contradictions.ts';
import type { Profile } from '../../profiles/profile.ts';
import { readProfiles, type SavedProfiles } from '../../profiles/profiles-file.ts';
import { type AnyPlan, isSavedWrite } from '../../settings/plan/saved-write.ts';
import { nameSavedTarget } from '../connection/find-target.ts';
import { findProtections } from '../connection/protections.ts';
import type { CommandEnvironment, ProcessEnvironment, ProtectedService } from '../context.ts';
import { optionalProperty } from '../options.ts';
import {
  applyCommand,
  approveCommand,
  type NextCommands,
  nextOfPlanFile,
  type PlanningCommand,
} from '../render-next.ts';
import { commandForService, EMBEDDED_SERVICE, type ServiceFlags } from '../service-flags.ts';

/** Flags of a command that plans changes of a settings file. */
interface GivenFlags {
  readonly file?: string | undefined;
  readonly env?: string | undefined;
  readonly only?: readonly string[] | undefined;
  readonly prune?: boolean | undefined;
  readonly pruneLimit?: string | undefined;
  readonly allowReplace?: boolean | undefined;
}

/**
 * Returns the command that makes the planned changes: of the saved plan, or of the settings file
 * with the same flags. If the target accepts only approved plans, returns the one that saves or
 * approves the plan. Returns none for a target that is read-only, or for a file from stdin, which
 * could not be read again.
 */
export async function nextOfPlan(
  context: PlanningCommand,
  target: ProtectedService,
  {
    out,
    members,
    ...flags
  }: GivenFlags & {
    readonly out?: string | undefined;
    readonly members?: string | undefined;
  },
): Promise<NextCommands> {
  const { options } = context;
  const protections = await findProtections(target);
  if (out !== undefined) return nextOfPlanFile(context, protections, out);
  if (protections.readOnly) return {};
  if (flags.file === '-') return {};
  const words = [...fileWords(flags), ...changeWords(flags)];
  const membersWords = members === undefined ? [] : ['--members', members];
  return protections.approvals
    ? { save: commandForService(options, 'plan', ...words, ...membersWords, '--out', 'plan.json') }
    : { apply: applyCommand(context.environment, options, ...words) };
}

/**
 * Returns the commands that change the service, if a plan can, or the file; none for a file from
 * stdin.
 */
export async function nextOfDrift(
  context: PlanningCommand,
  target: ProtectedService,
  { hasWrites, ...flags }: GivenFlags & { readonly hasWrites: boolean },
): Promise<NextCommands> {
  if (flags.file === '-') return {};
  const { apply, ...others } = hasWrites ? await nextOfPlan(context, target, flags) : {};
  return {
    ...(apply !== undefined && { restore: apply }),
    ...others,
    accept: commandForService(context.options, 'pull', ...fileWords(flags)),
  };
}

/**
 * Returns the command that saves or applies a plan of `svc undo`.
 * @param opened context for the target of the job
 */
export async function nextOfUndo(
  { options, environment }: PlanningCommand,
  opened: CommandEnvironment & ProtectedService,
  job: string,
  out: string | undefined,
): Promise<NextCommands> {
  if (out === undefined)
    return { save: commandLineOf(step('inspect', 'undo', job, '--out', 'undo.json')) };
  // The saved plan names the profile of the job.
  const { profile: _profile, ...others } = opened.options;
  const flags = { ...others, ...optionalProperty('profile', options.profile) };
  return nextOfPlan({ options: flags, environment }, opened, { out });
}

/**
 * Returns the command that approves or applies a saved plan, as far as the profiles of this machine
 * identify its target. Returns none for an embedded service whose data the plan does not name.
 */
export async function nextOfSavedPlan(
  { environment, folders }: ProcessEnvironment,
  plan: AnyPlan,
  file: string,
  { isApproved = false } = {},
): Promise<NextCommands> {
  const { target, profile } = plan;
  if (target.url === EMBEDDED_SERVICE) {
    if (isSavedWrite(plan) || !plan.names) return {};
    const service = { local: true, ...optionalProperty('store', plan.names.store) };
    return { apply: applyCommand(environment, service, file) };
  }
  const saved = await readProfiles(folders);
  const same = findProfilesOfPlan(saved, plan);
  if (same.some(([, each]) => each.readOnly)) return {};
  if (same.some(([, each]) => each.approvals) && !isApproved) return approveCommand(file);
  const names = same.map(([name]) => name);
  const isNamed =
    profile !== null || (saved.current !== undefined && names.includes(saved.current));
  const known = nameSavedTarget(plan).profile;
  const name = names.find((each) => each === known) ?? names[0];
  const flags: ServiceFlags = {
    local: false,
    ...optionalProperty('profile', isNamed ? undefined : name),
  };
  return { apply: applyCommand(environment, flags, file) };
}

/** Returns the saved profiles with the target of a plan, whose protections apply to it. */
export function findProfilesOfPlan(
  { profiles }: SavedProfiles,
  { target: { url, apiKey }, profile }: AnyPlan,
): readonly (readonly [name: string, profile: Profile])[] {
  const source = 'the plan';
  const target = {
    baseUrl: { value: url, source },
    ...(apiKey !== null && { apiKey: { value: apiKey, source } }),
  };
  const isWeb = URL.parse(url) !== null;
  return [...profiles].filter(
    ([name, saved]) => name === profile || (isWeb && isSameTarget(saved, target)),
  );
}

export function fileWords({ file, env, only = [] }: GivenFlags): readonly string[] {
  return [
    ...(file === undefined ? [] : ['-f', file]),
    ...(env === undefined ? [] : ['--env', env]),
    ...only.flatMap((kind) => ['--only', kind]),
  ];
}

export function changeWords({ prune, pruneLimit, allowReplace }: GivenFlags): readonly string[] {
  return [
    ...(prune ? ['--prune'] : []),
    ...(pruneLimit === undefined ? [] : ['--prune-limit', pruneLimit]),
    ...(allowReplace ? ['--allow-replace'] : []),
  ];
}
