import { homedir, platform as thisPlatform } from 'node:os';
import { join } from 'node:path';

/** The environment as a plain value, so that tests can hand in their own. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Folders of this user: settings and profiles, running state and jobs, the embedded service's data. */
export interface Folders {
  readonly config: string;
  readonly state: string;
  readonly data: string;
}

/** XDG base directories, or `%APPDATA%` and `%LOCALAPPDATA%` on Windows. An unset or relative variable is ignored, as XDG says. */
export function userFolders(environment: Environment, platform: NodeJS.Platform = thisPlatform()): Folders {
  const home = environment['HOME'] || homedir();
  if (platform === 'win32') {
    const roaming = environment['APPDATA'] || join(home, 'AppData', 'Roaming');
    const local = environment['LOCALAPPDATA'] || join(home, 'AppData', 'Local');
    return { config: join(roaming, 'svc'), state: join(local, 'svc', 'state'), data: join(local, 'svc', 'data') };
  }
  const base = (variable: string, fallback: string) => {
    const value = environment[variable];
    return join(value?.startsWith('/') ? value : join(home, fallback), 'svc');
  };
  return {
    config: base('XDG_CONFIG_HOME', '.config'),
    state: base('XDG_STATE_HOME', join('.local', 'state')),
    data: base('XDG_DATA_HOME', join('.local', 'share')),
  };
}
