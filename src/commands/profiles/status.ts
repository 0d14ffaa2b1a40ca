import { SvcError } from '../../kernel/errors.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { maskSecret } from '../../kernel/redact.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { SECRET_SETTINGS, SETTING_VARIABLES } from '../../kernel/variables.ts';
import { createNotConfiguredError, listMissingSettings } from '../../profiles/missing-settings.ts';
import { listPendingRecoveries, type RecoveryRecord } from '../../profiles/recovery.ts';
import { resolveOutput } from '../../profiles/resolve.ts';
import type { Sourced, TargetWithSecrets } from '../../profiles/target.ts';
import { withFolderFile } from '../connection/protected-profile.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { optionalProperty } from '../options.ts';
import { commandForService, EMBEDDED_SERVICE } from '../service-flags.ts';
import { STATUS_COLUMNS } from './columns.ts';

const SECRETS: ReadonlySet<string> = new Set(SECRET_SETTINGS);

/**
 * Prints all settings and their sources.
 * @throws SvcError `no_credential` if required settings are missing
 */
export async function authStatus(context: Context): Promise<void> {
  const target = await context.targetWithSecrets();
  const { environment, cwd, folders } = context;
  const output = await resolveOutput({ environment, cwd, folders, flags: {} }, context.target());
  const printer = await context.printer();
  const settings = { ...target, ...optionalProperty('output', output) };
  const rows = [
    ...createSettingRows(settings, context.options.showSecrets),
    ...(await createPendingRows(context)),
  ];
  await printer.value(rows, { columns: STATUS_COLUMNS });
  if (target.embedded) return context.note('--local: the embedded service has its own credentials');
  if (listMissingSettings(target).length > 0) throw createNotConfiguredError(target);
  if (target.missingReason !== undefined) await context.warn(target.missingReason);
}

type Settings = { readonly [Name in keyof typeof SETTING_VARIABLES]?: Sourced };

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

interface WhoamiFlags {
  readonly check?: boolean | undefined;
  readonly all?: boolean | undefined;
}

const IDENTITY_SETTINGS = [
  'profile',
  'baseUrl',
  'apiKey',
  'workspaceId',
  'headerPrefix',
  'clientCert',
  'org',
] as const;

/**
 * Prints the target in one line, or all settings with `--all`. With `--check`, also sends a read
 * with each credential.
 * @throws SvcError `no_credential` if required settings are missing; with `--check`, also
 * `unauthenticated` if the service rejects a credential, and the error of a failed read
 */
export async function whoami(
  context: Context,
  { options: { check = false, all = false } }: Invocation<WhoamiFlags>,
): Promise<void> {
  if (check && all) throw new SvcError('usage', '--check and --all cannot be combined');
  if (all) return authStatus(context);
  const target = await context.targetWithSecrets();
  const { embedded } = target;
  if (!embedded && listMissingSettings(target).length > 0) throw createNotConfiguredError(target);
  if (check) await checkCredentials(context, target);
  const printer = await context.printer();
  const identity = IDENTITY_SETTINGS.map((name) => [
    name,
    (embedded && name !== 'org' ? undefined : target[name])?.value ?? null,
  ]);
  const readOnly = await context.readOnly();
  const { approvals, protectedBy } = target;
  const count = approvals?.reduce((total, { rule }) => total + rule.count, 0);
  const line = [
    embedded ? `${EMBEDDED_SERVICE} (--local)` : describeConnection(target),
    ...(protectedBy === undefined ? [] : ['protected']),
    ...(readOnly ? [`read-only (${readOnly.sources.join(', ')})`] : []),
    ...(count === undefined ? [] : [`approvals required: ${count}`]),
    ...(check ? ['credentials accepted'] : []),
  ].join(', ');
  await printer.value(
    {
      ...Object.fromEntries(identity),
      local: embedded !== undefined,
      readOnly: readOnly !== undefined,
      protected: protectedBy !== undefined,
      approvals: count ?? null,
      ...(check && { verified: true }),
    },
    { renderText: ({ isTerminal }) => `${isTerminal ? escapeForTerminal(line) : line}\n` },
  );
}

function describeConnection(target: TargetWithSecrets): string {
  const { baseUrl, apiKey, workspaceId, org, headerPrefix, clientCert, profile } = target;
  const credential = apiKey ?? workspaceId;
  const name = apiKey ? 'API key' : 'workspace';
  const source = withFolderFile(credential?.source ?? '', target.folderFile);
  const isOwn = org?.source === credential?.source || !profile;
  return [
    `${name} ${credential?.value} at ${baseUrl?.value}`,
    ...(headerPrefix.source === 'default' ? [] : [`header prefix ${headerPrefix.value}`]),
    ...(clientCert ? [`client certificate ${clientCert.value}`] : []),
    ...(org ? [`organization ${quoteId(org.value)}${isOwn ? '' : ` from ${org.source}`}`] : []),
  ]
    .join(', ')
    .concat(` (${source})`);
}

/** Sends a read with each credential, as before a profile is saved. */
async function checkCredentials(context: Context, target: TargetWithSecrets): Promise<void> {
  if (target.embedded) return void (await context.client());
  const { describeRejection, verifyTarget } = await import('./verify.ts');
  const { problem, rejection } = await verifyTarget(context, target);
  if (rejection) {
    const { error } = rejection;
    throw new SvcError('unauthenticated', describeRejection(rejection), {
      ...optionalProperty('status', error.status),
      ...optionalProperty('hint', error.structuredHint),
      cause: error,
    });
  }
  if (problem instanceof SvcError) throw problem;
  if (problem) throw new SvcError('unreachable', problem.message, { cause: problem });
}
