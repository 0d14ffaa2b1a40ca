import { maskSecret } from '../../kernel/redact.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { SECRET_SETTINGS, SETTING_VARIABLES } from '../../kernel/variables.ts';
import { createNotConfiguredError, listMissingSettings } from '../../profiles/missing-settings.ts';
import { listPendingRecoveries, type RecoveryRecord } from '../../profiles/recovery.ts';
import type { Settings } from '../../profiles/resolve.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { commandForService, EMBEDDED_SERVICE } from '../service-flags.ts';
import { STATUS_COLUMNS } from './columns.ts';

const SECRETS: ReadonlySet<string> = new Set(SECRET_SETTINGS);

/**
 * Prints all settings and their sources.
 * @throws SvcError `no_credential` if required settings are missing
 */
export async function authStatus(context: Context): Promise<void> {
  const settings = await context.settings();
  const printer = await context.printer();
  const rows = [
    ...createSettingRows(settings, context.options.showSecrets),
    ...(await createPendingRows(context)),
  ];
  await printer.value(rows, { columns: STATUS_COLUMNS });
  if (context.options.local)
    return context.note('--local: the embedded service has its own credentials');
  if (listMissingSettings(settings).length > 0) throw createNotConfiguredError(settings);
  if (settings.missingReason !== undefined) await context.warn(settings.missingReason);
}

function createSettingRows(settings: Settings, showSecrets: boolean) {
  const names = Object.keys(SETTING_VARIABLES) as (keyof typeof SETTING_VARIABLES)[];
  return names.map((setting) => {
    const { value = null, source = null } = settings[setting] ?? {};
    const masked = value !== null && SECRETS.has(setting) && !showSecrets;
    return { setting, value: masked ? maskSecret(value) : value, source };
  });
}

const describeUnfinished = (apiKey: string) => `token reset of API key ${apiKey} is unfinished`;

const STATE_LABELS = {
  sending: describeUnfinished,
  unknown: describeUnfinished,
  lost: (apiKey) => `the auth token of API key ${apiKey} is lost`,
  kept: (apiKey) => `the new auth token of API key ${apiKey} is saved`,
} as const satisfies Record<RecoveryRecord['state'], (apiKey: string) => string>;

async function createPendingRows({ folders, options }: Context) {
  const pending = await listPendingRecoveries(folders);
  return pending.map(({ path, record }) => ({
    setting: 'recovery',
    value: `${record ? STATE_LABELS[record.state](record.apiKey) : 'damaged recovery record'} (${commandForService(options, 'auth-tokens', 'recover')})`,
    source: path,
  }));
}

const IDENTITY_SETTINGS = ['profile', 'baseUrl', 'apiKey', 'workspaceId', 'org'] as const;

/**
 * Prints the active connection in one line, or all settings with `--check`.
 * @throws SvcError `no_credential` if required settings are missing
 */
export async function whoami(
  context: Context,
  { options: { check } }: Invocation<{ readonly check?: boolean | undefined }>,
): Promise<void> {
  if (check) return authStatus(context);
  const { local } = context.options;
  const settings = await context.settings();
  if (!local && listMissingSettings(settings).length > 0) throw createNotConfiguredError(settings);
  const printer = await context.printer();
  const identity = IDENTITY_SETTINGS.map((name) => [
    name,
    (local ? undefined : settings[name])?.value ?? null,
  ]);
  const readOnly = await context.readOnly();
  const connection = local ? `${EMBEDDED_SERVICE} (--local)` : describeConnection(settings);
  const line = readOnly ? `${connection}, read-only (${readOnly.sources.join(', ')})` : connection;
  await printer.value(
    { ...Object.fromEntries(identity), local, readOnly: readOnly !== undefined },
    { renderText: ({ isTerminal }) => `${isTerminal ? escapeForTerminal(line) : line}\n` },
  );
}

function describeConnection({ baseUrl, apiKey, workspaceId, org }: Settings): string {
  const credential = apiKey ?? workspaceId;
  const name = apiKey ? 'API key' : 'workspace';
  const target = org ? `, organization ${org.value}` : '';
  return `${name} ${credential?.value} at ${baseUrl?.value}${target} (${credential?.source})`;
}
