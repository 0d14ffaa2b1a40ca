import { loadResource } from '../../catalog/index.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { ASCII_GLYPHS, type Glyphs } from '../../output/glyphs.ts';
import type { TargetNames } from '../../settings/plan/saved-plan.ts';
import { type AnyPlan, isSavedWrite } from '../../settings/plan/saved-write.ts';
import type { PlanTarget } from '../../settings/plan.ts';
import type { DeclaredEnvironment } from '../../settings/settings.ts';
import type { ConnectedCommand } from '../context.ts';
import { optionalProperty } from '../options.ts';
import { EMBEDDED_SERVICE } from '../service-flags.ts';
import { describeJobTarget } from './describe-target.ts';
import { withFolderFile } from './protected-profile.ts';

/**
 * Returns the service of a command as a plan's target. An embedded service is identified by its API
 * key.
 */
export async function findPlanTarget(command: ConnectedCommand): Promise<PlanTarget> {
  const { embedded, baseUrl, apiKey: key } = await command.target();
  if (!embedded) return { url: baseUrl?.value ?? '', apiKey: key?.value ?? null };
  const { 'workspace.get': get } = await loadResource('workspace');
  const outcome = await (await command.client()).call(get, {});
  const [apiKey = null] = Object.keys((outcome.sent && outcome.data?.apiKeyList) || {});
  return { url: EMBEDDED_SERVICE, apiKey };
}

/** The target of a plan, and the names by which the user knows it. */
export interface NamedTarget extends PlanTarget, Omit<TargetNames, 'file'> {
  /** Environment of the settings file. */
  readonly environment: string | null;
}

/** Returns the target of a saved plan with the names that it was saved with. */
export function nameSavedTarget(plan: AnyPlan): NamedTarget {
  if (isSavedWrite(plan)) return { ...plan.target, environment: null, profile: plan.profile };
  const { target, environment, profile, names } = plan;
  const { file: _, ...saved } = names ?? { file: '', profile: null };
  return { ...target, environment, ...saved, profile: profile ?? saved.profile };
}

/** The environment of a plan, and those that its settings file declares. */
export interface PlanOrigin {
  readonly environment?: string | null | undefined;
  readonly environments?: readonly DeclaredEnvironment[];
}

export async function nameTarget(
  command: ConnectedCommand,
  target: PlanTarget,
  { environment = null, environments = [] }: PlanOrigin,
): Promise<NamedTarget> {
  const { profile, store } = await describeJobTarget(command);
  const { baseUrl, folderFile } = await command.target();
  const names = environments.map((declared) => declared.name);
  const isUnchosen = environment === null && names.length > 0;
  return {
    ...target,
    environment,
    profile,
    ...(profile === null && optionalProperty('source', baseUrl?.source.replace(/^flag /, ''))),
    ...optionalProperty('folderFile', folderFile),
    ...optionalProperty('store', store ?? undefined),
    ...(isUnchosen && { environments: names }),
  };
}

export function describeUnchosen(file: string, environments: readonly string[]): string {
  return `no environment (${file} has ${environments.join(', ')})`;
}

/**
 * Lists the names of a target, the most familiar first: `prod`, its URL, and `profile prod`.
 * @param file name of the settings file
 * @param isSaved whether the target is that of a saved plan, whose user does not know the source of
 * its address
 */
export function targetNames(target: NamedTarget, file: string, isSaved = false): readonly string[] {
  const { environment, environments, url, store, profile, source, folderFile } = target;
  const address = isSaved && environment === null && source ? `${url} (from ${source})` : url;
  return [
    ...(environment === null
      ? []
      : [source === undefined ? environment : `${environment} (from ${source})`]),
    ...(environments ? [describeUnchosen(file, environments)] : []),
    store === undefined ? address : `${url} (${store})`,
    ...(profile === null ? [] : [withFolderFile(`profile ${profile}`, folderFile)]),
  ];
}

/**
 * Renders the first line of a plan: `prod · https://api.example.com · profile prod`.
 * @param file name of the settings file
 * @param isSaved whether the target is that of a saved plan
 */
export function renderTarget(
  target: NamedTarget,
  glyphs: Glyphs,
  file: string,
  isSaved = false,
): string {
  const separator = glyphs === ASCII_GLYPHS ? ' - ' : ' · ';
  return targetNames(target, file, isSaved).map(escapeForTerminal).join(separator);
}
