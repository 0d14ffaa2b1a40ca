import { SETTING_VARIABLES, SWITCH_VARIABLES } from '../../kernel/variables.ts';

const SETTING_DESCRIPTIONS: { readonly [Name in keyof typeof SETTING_VARIABLES]: string } = {
  profile: 'profile to use',
  baseUrl: 'URL of the service',
  headerPrefix: 'prefix of the credential headers (default: x-svc-)',
  apiKey: 'ID of the API key',
  authToken: 'auth token of the API key',
  workspaceId: 'workspace ID',
  workspaceAuthToken: 'auth token of the workspace',
  org: 'default organization',
  output: 'default output format',
};

const OTHER_VARIABLES: readonly (readonly [string, string])[] = [
  [SWITCH_VARIABLES.allow, 'name of the protected profile that scripts may write to (together with --yes)'],
  [SWITCH_VARIABLES.history, '0 turns the history of writes off'],
  [SWITCH_VARIABLES.undo, '0 turns off saving the values that jobs replace, which svc undo needs'],
  [SWITCH_VARIABLES.completionCache, '0 turns the cache of IDs for completion off'],
  [SWITCH_VARIABLES.pager, 'pager for long tables on a terminal (default: PAGER, or less)'],
  ['CI', 'if set, never prompt'],
  ['ACCESSIBLE', 'if set, use plain text instead of symbols, progress bars, and menus'],
  ['NO_COLOR', 'if set, disable color'],
  ['FORCE_COLOR', 'if set, enable color even without a terminal (overrides NO_COLOR)'],
  ['HTTPS_PROXY', 'proxy for https URLs; also HTTP_PROXY and ALL_PROXY. NO_PROXY lists hosts to reach directly'],
  ['XDG_CONFIG_HOME', 'parent of the svc/ folder with profiles (APPDATA on Windows)'],
  ['XDG_STATE_HOME', 'parent of the svc/ folder with jobs, locks, and history (LOCALAPPDATA on Windows)'],
  ['XDG_DATA_HOME', 'parent of the svc/ folder with the data of the embedded service (LOCALAPPDATA on Windows)'],
];

export function environmentVariables(): readonly (readonly [string, string])[] {
  const settings = Object.entries(SETTING_DESCRIPTIONS).map(
    ([name, text]) => [SETTING_VARIABLES[name as keyof typeof SETTING_VARIABLES], text] as const,
  );
  return [...settings, ...OTHER_VARIABLES];
}
