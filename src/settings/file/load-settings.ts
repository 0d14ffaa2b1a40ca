import { findSecretPaths, type SecretPath } from '../../catalog/secrets.ts';
import { pickSettings } from '../../catalog/settings.ts';
import { SvcError } from '../../kernel/errors.ts';
import { formatFieldPath, valueAt } from '../../kernel/field-path.ts';
import type { Environment } from '../../kernel/folders.ts';
import { once } from '../../kernel/once.ts';
import type { SecretReference, SecretValue } from '../secret-value.ts';
import type { Declared, DeclaredEnvironment, DeclaredSettings, SettingsFile } from '../settings.ts';
import { type FilesRequest, hashFile } from './read-files.ts';
import { readSecret } from './read-secret.ts';
import {
  parseSettings,
  readSettings,
  type SettingsContent,
  SettingsError,
  type SettingsTexts,
} from './read-settings.ts';
import { formatPlace, Problems, placeAt } from './tree.ts';

export interface SettingsRequest extends FilesRequest {
  readonly environment: string | undefined;
  readonly variables: Environment;
}

/**
 * Loads a settings file, or a folder of them, for one environment, with its secrets.
 * @throws SettingsError with all problems; SvcError `usage` if the file or the environment does not
 * exist
 */
export async function loadSettings(request: SettingsRequest): Promise<DeclaredSettings> {
  const content = await readSettings(request);
  const { name, fields } = content;
  const problems = new Problems();
  const secrets = await resolveSecrets(content, request.variables, request.signal, problems);
  const usersFile = await resolveUsersFile(content, request.signal, problems);
  if (problems.texts.length > 0) throw new SettingsError(name, problems.texts);
  const {
    svc,
    stack,
    vars,
    environments = {},
    activities,
    agentGroups,
    crdt,
    userData,
    users,
    ...kinds
  } = fields;
  const declaredUsers = usersFile ? { from: usersFile.path, sha256: usersFile.sha256 } : users;
  const { environment, signal } = request;
  return {
    name,
    stack,
    environment,
    secrets,
    profile: environment === undefined ? undefined : environments[environment]?.profile,
    environments: listEnvironments(environments),
    declared: omitAbsent({ ...kinds, users: declaredUsers }) as Declared,
    content: omitAbsent({ activities, agentGroups, crdt, userData }),
    files: [...content.files.flatMap(({ file }) => file ?? []), ...(usersFile ? [usersFile] : [])],
    positionOf: createPositionFinder({ name, files: content.files, environment, signal }),
  };
}

function createPositionFinder(texts: SettingsTexts): DeclaredSettings['positionOf'] {
  const parse = once(() => parseSettings(texts));
  return async (path) => formatPlace(placeAt((await parse()).tree, path));
}

export function listEnvironments(
  environments: SettingsContent['fields']['environments'] = {},
): readonly DeclaredEnvironment[] {
  return Object.entries(environments).map(([name, { profile, baseUrl }]) => ({
    name,
    ...(profile !== undefined && { profile }),
    ...(baseUrl !== undefined && { baseUrl }),
  }));
}

function omitAbsent<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as never;
}

async function resolveSecrets(
  { fields, tree }: SettingsContent,
  variables: Environment,
  signal: AbortSignal,
  problems: Problems,
): Promise<readonly SecretValue[]> {
  const secrets: SecretValue[] = [];
  const names = Object.keys(fields).filter((name) => name !== 'environments');
  const paths = findSecretPaths(pickSettings(names));
  for (const path of paths.flatMap((pattern) => expandPath(fields, pattern))) {
    const reference = valueAt(fields, path) as SecretReference | undefined;
    if (reference === undefined) continue;
    const place = placeAt(tree, path);
    try {
      const secret = await readSecret(reference, variables, place.source.folder, signal);
      secrets.push(secret);
      Reflect.set(Object(valueAt(fields, path.slice(0, -1))), String(path.at(-1)), secret);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof SvcError)) throw error;
      problems.add(place, error.message, { path: formatFieldPath(path) });
    }
  }
  return secrets;
}

/** Replaces each `*` of a path with the indexes of the list at its place. */
function expandPath(
  value: unknown,
  [head, ...rest]: SecretPath,
): readonly (readonly PropertyKey[])[] {
  if (head === undefined) return [[]];
  if (head !== '*') return expandPath(Object(value)[head], rest).map((path) => [head, ...path]);
  const items = Array.isArray(value) ? value : [];
  return items.flatMap((item, index) => expandPath(item, rest).map((path) => [index, ...path]));
}

async function resolveUsersFile(
  { fields: { users }, tree }: SettingsContent,
  signal: AbortSignal,
  problems: Problems,
): Promise<SettingsFile | undefined> {
  if (users === undefined || Array.isArray(users)) return undefined;
  const path = ['users', 'from'];
  const place = placeAt(tree, path);
  try {
    return await hashFile(users.from, place.source.folder, signal);
  } catch (error) {
    if (!(error instanceof SvcError) || error.failure !== 'usage') throw error;
    problems.add(place, error.message, { path: formatFieldPath(path) });
    return undefined;
  }
}
