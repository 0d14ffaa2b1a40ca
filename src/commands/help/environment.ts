import { SWITCHES, VARIABLES } from '../../kernel/variables.ts';

/** What each variable of a setting holds; the compiler asks for a line for each of them. */
const SETTINGS: { readonly [Name in keyof typeof VARIABLES]: string } = {
  profile: 'the profile to use',
  baseUrl: 'address of the service',
  headerPrefix: 'how the names of credential headers start (x-svc-)',
  apiKey: 'the API key, which is an id',
  authToken: 'the auth token of the API key',
  workspaceId: 'the workspace',
  workspaceAuthToken: "the workspace's auth token",
  org: 'organization where none is given',
  output: 'output format where none is given',
};

/** Variables that are no settings of a profile. */
const OTHERS: readonly (readonly [string, string])[] = [
  [SWITCHES.allow, 'name of a protected profile that scripts may write with, beside --yes'],
  [SWITCHES.history, '0 keeps no history of writes'],
  [SWITCHES.completionCache, '0 keeps no ids for completion'],
  ['CI', 'set: nobody is asked anything'],
  ['ACCESSIBLE', 'set: plain words instead of drawings, bars and menus'],
  ['NO_COLOR', 'set: no colours; FORCE_COLOR wins over it'],
  ['FORCE_COLOR', 'set: colours, terminal or not'],
  ['HTTPS_PROXY', 'proxy to go through, as HTTP_PROXY and ALL_PROXY; NO_PROXY lists hosts without'],
  ['XDG_CONFIG_HOME', 'folder above svc/ with the profiles (APPDATA on Windows)'],
  ['XDG_STATE_HOME', 'folder above svc/ with jobs, locks and history (LOCALAPPDATA on Windows)'],
  ['XDG_DATA_HOME', "folder above svc/ with the embedded service's data (LOCALAPPDATA on Windows)"],
];

/** Every environment variable with what it does, those of settings first. */
export function environmentVariables(): readonly (readonly [string, string])[] {
  const settings = Object.entries(SETTINGS).map(
    ([name, does]) => [VARIABLES[name as keyof typeof VARIABLES], does] as const,
  );
  return [...settings, ...OTHERS];
}
