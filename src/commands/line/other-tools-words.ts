import { type Hint, hint, step, stepWithPlaceholder } from '../../kernel/errors.ts';

/** Fields of a profile, by the names that other tools use for them. */
const PROFILE_FLAGS: ReadonlyMap<string, string> = new Map([
  ['org', '--org <id>'],
  ['organization', '--org <id>'],
  ['api-key', '--api-key <id>'],
  ['apikey', '--api-key <id>'],
  ['token', '--auth-token-file <path>'],
  ['auth-token', '--auth-token-file <path>'],
  ['base-url', '--base-url <url>'],
  ['baseurl', '--base-url <url>'],
  ['url', '--base-url <url>'],
  ['header-prefix', '--header-prefix <prefix>'],
  ['output', '--default-output <format>'],
  ['format', '--default-output <format>'],
  ['workspace', '--workspace-id <id>'],
  ['workspace-id', '--workspace-id <id>'],
]);

const SHOW_SETTINGS = hint`to see all settings, run ${step('inspect', 'whoami', '--all')}`;

function configHint([verb = '', field = '']: readonly string[]): Hint {
  if (!['set', 'edit', 'update', 'unset'].includes(verb)) return SHOW_SETTINGS;
  const flag = PROFILE_FLAGS.get(field.replace(/[_.]/g, '-').toLowerCase());
  const change = stepWithPlaceholder(
    'configure',
    ['profiles', 'update'],
    `<name>${flag ? ` ${flag}` : ''}`,
  );
  return hint`to change a profile, run ${change}; ${SHOW_SETTINGS}`;
}

const logsHint = () =>
  hint`to follow the requests to ${step('help', 'serve')}, run ${step('inspect', 'local', 'requests', 'tail')}; to list the writes from this machine, run ${step('inspect', 'history')}`;

const statusHint = () =>
  hint`to check the target and its credentials, run ${step('show', 'whoami', '--check')}`;

const loginHint = () =>
  hint`to save a service and its credentials, run ${stepWithPlaceholder('configure', ['login'], '<name>')}`;

function importHint([file = '']: readonly string[]): Hint {
  const words = file === '' || file.startsWith('-') ? [] : [file];
  const add = ['users', 'add', '--file', ...words];
  return hint`to import records, run ${words.length > 0 ? step('list', ...add) : stepWithPlaceholder('list', add, '<path>')}; to import a state of the embedded service, run ${stepWithPlaceholder('inspect', ['local', 'import'], '<file>')}`;
}

/** Hints for the commands of other tools, by their first word. */
const HINTS: ReadonlyMap<string, (rest: readonly string[]) => Hint> = new Map([
  ['config', configHint],
  ['configure', loginHint],
  ['context', () => hint`to list the profiles, run ${step('inspect', 'profiles', 'list')}`],
  ['env', () => SHOW_SETTINGS],
  ['import', importHint],
  ['info', statusHint],
  ['init', loginHint],
  ['log', logsHint],
  [
    'logout',
    () =>
      hint`to remove a profile and its secrets, run ${stepWithPlaceholder('configure', ['profiles', 'remove'], '<name>')}`,
  ],
  ['logs', logsHint],
  ['settings', configHint],
  ['signin', loginHint],
  ['start', () => hint`to run the embedded service on a port, run ${step('inspect', 'serve')}`],
  ['status', statusHint],
  ['tail', logsHint],
]);

/**
 * Returns the hint for a command that other tools have and svc has not: `config set`, `logs`.
 * @param rest words after the first one
 */
export function findOtherToolsHint(word: string, rest: readonly string[]): Hint | undefined {
  return HINTS.get(word)?.(rest);
}

/** Dashes that editors and chat programs make of two hyphens. */
const FLAG_WITH_DASH = /^([\u2010-\u2015\u2212]+-*|-[\u2010-\u2015\u2212]+)([A-Za-z][\w-]*)/;

/** Returns the hint for the first word that is a flag with a typographic dash, if any: `—user`. */
export function findDashHint(words: readonly string[]): string | undefined {
  for (const word of words) {
    const [, dash = '', name = ''] = FLAG_WITH_DASH.exec(word) ?? [];
    if (name === '') continue;
    const hyphens = name.length === 1 ? '-' : '--';
    return `replace ${dash} with ${hyphens}: ${hyphens}${name}`;
  }
  return undefined;
}
