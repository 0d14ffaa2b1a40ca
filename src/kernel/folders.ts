import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { SvcError } from './errors.ts';
import { currentPlatform } from './process.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Folders of the current user: `config` for settings and profiles, `state` for jobs and locks,
 * `data` for the embedded service.
 */
export interface Folders {
  readonly config: string;
  readonly state: string;
  readonly data: string;
  /**
   * Called if the saved profiles cannot be read, for a command that can do without them. For other
   * commands, that is an error.
   */
  readonly ignoreUnreadableProfiles?: (problem: SvcError) => Promise<void>;
}

/** The environment variable that moves each folder. */
export const FOLDER_VARIABLES: Readonly<Record<'config' | 'state' | 'data', string>> =
  currentPlatform === 'win32'
    ? { config: 'APPDATA', state: 'LOCALAPPDATA', data: 'LOCALAPPDATA' }
    : { config: 'XDG_CONFIG_HOME', state: 'XDG_STATE_HOME', data: 'XDG_DATA_HOME' };

/**
 * Resolves the user's folders from the XDG base directories, or from `%APPDATA%` and
 * `%LOCALAPPDATA%` on Windows. Ignores relative paths, including HOME: XDG requires it, and
 * profiles must not depend on the current folder.
 */
export function resolveUserFolders(
  environment: Environment,
  platform: NodeJS.Platform = currentPlatform,
): Folders {
  const absolutePath = (variable: string) => {
    const value = environment[variable];
    return value && isAbsolute(value) ? value : undefined;
  };
  const home = resolveHomeFolder(environment);
  if (platform === 'win32') {
    const roaming = absolutePath('APPDATA') ?? join(home, 'AppData', 'Roaming');
    const local = absolutePath('LOCALAPPDATA') ?? join(home, 'AppData', 'Local');
    return {
      config: join(roaming, 'svc'),
      state: join(local, 'svc', 'state'),
      data: join(local, 'svc', 'data'),
    };
  }
  const base = (variable: string, fallback: string) =>
    join(absolutePath(variable) ?? join(home, fallback), 'svc');
  return {
    config: base('XDG_CONFIG_HOME', '.config'),
    state: base('XDG_STATE_HOME', join('.local', 'state')),
    data: base('XDG_DATA_HOME', join('.local', 'share')),
  };
}

export function resolveHomeFolder({ HOME }: Environment): string {
  if (HOME && isAbsolute(HOME)) return HOME;
  try {
    return userInfo().homedir;
  } catch {
    return '/';
  }
}

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
