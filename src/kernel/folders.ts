import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { thisPlatform } from './io.ts';

/** The environment as a plain value, so that tests can hand in their own. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Folders of this user: settings and profiles, running state and jobs, the embedded service's data. */
export interface Folders {
  readonly config: string;
  readonly state: string;
  readonly data: string;
}

/**
 * XDG base directories, or `%APPDATA%` and `%LOCALAPPDATA%` on Windows. An unset or relative variable is ignored, as XDG
 * says, HOME as well: the folder that a command happens to run in holds nobody's profiles.
 */
export function userFolders(environment: Environment, platform: NodeJS.Platform = thisPlatform): Folders {
  const given = (variable: string) => {
    const value = environment[variable];
    return value && isAbsolute(value) ? value : undefined;
  };
  const home = homeFolder(environment);
  if (platform === 'win32') {
    const roaming = given('APPDATA') ?? join(home, 'AppData', 'Roaming');
    const local = given('LOCALAPPDATA') ?? join(home, 'AppData', 'Local');
    return { config: join(roaming, 'svc'), state: join(local, 'svc', 'state'), data: join(local, 'svc', 'data') };
  }
  const base = (variable: string, fallback: string) => join(given(variable) ?? join(home, fallback), 'svc');
  return {
    config: base('XDG_CONFIG_HOME', '.config'),
    state: base('XDG_STATE_HOME', join('.local', 'state')),
    data: base('XDG_DATA_HOME', join('.local', 'share')),
  };
}

/** HOME, or what the system knows; the root for a user without an entry in /etc/passwd, as containers often have. */
export function homeFolder({ HOME }: Environment): string {
  if (HOME && isAbsolute(HOME)) return HOME;
  try {
    return userInfo().homedir;
  } catch {
    return '/';
  }
}
