import { randomUUID } from 'node:crypto';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { SECRET_SETTINGS } from '../../kernel/variables.ts';
import { originOf, type Profile, type Secrets } from '../../profiles/profile.ts';
import { findProfile } from '../../profiles/profiles-file.ts';
import { createSecretStorage, readSecrets } from '../../profiles/secrets.ts';
import { createProfileStore } from '../../profiles/store.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { becauseOfCi, canAsk, withCiReason } from '../terminal/terminal.ts';
import type { UpdateFlags } from './flags.ts';
import { askToken, type TokenName, verifySecrets, warnAboutStorage } from './prompts.ts';
import { checkApprovalRule, type FlagValues, readProfileFlags } from './read-flags.ts';
import { findKeyPassphrase } from './verify.ts';

/**
 * Changes fields of a profile, and keeps all others. The secrets of a profile stay with their
 * origin: another base URL needs new ones.
 */
export async function updateProfile(
  context: Context,
  { arguments: [name = ''], options }: Invocation<UpdateFlags>,
): Promise<void> {
  const store = createProfileStore(context);
  const before = findProfile(await store.read(), name);
  const given = await readUpdates(context, before, options);
  const change = (profile: Profile) => applyChanges(profile, given.profile, options);
  const after = change(before);
  await checkApprovalRule(after);
  await confirmLoosening(context, name, before, after);
  const moved = originOf(after) !== originOf(before);
  const { secrets, typed } = await completeSecrets(context, { before, after, moved }, given);
  const isTested = changesCredentials(before, after, secrets) && options.verify !== false;
  const verified = isTested
    ? await verifyUpdated(context, { before, after, moved }, { secrets, typed })
    : { secrets, isVerified: false };
  const saved = await store.edit(
    name,
    (profile, current) => ({
      // A new ID, so that no secret of the other origin can be found under it.
      profile: {
        ...change(profile),
        ...(moved && profile.secrets && { id: randomUUID(), secrets: undefined }),
      },
      secrets: { ...(moved ? {} : current), ...withoutUndefined(verified.secrets) },
    }),
    { insecure: options.insecureStorage === true },
  );
  const changed = describeChanges(before, after, verified.secrets);
  const suffix = verified.isVerified ? ' (verified)' : '';
  await context.note(
    changed.length > 0
      ? `Updated profile '${name}': ${changed.join(', ')}${suffix}`
      : `profile '${name}' already has these values`,
  );
  if (!options.insecureStorage) await warnAboutStorage(context, name, saved);
}

interface TypedSecrets {
  readonly secrets: Secrets;
  /** The secrets that the user typed, and can type again if the service rejects them. */
  readonly typed: readonly TokenName[];
}

type Updates = FlagValues & TypedSecrets;

/**
 * Reads the flags. Without any, asks for the auth token on a terminal.
 * @throws SvcError `usage` without a flag if prompts are not possible
 */
async function readUpdates(
  context: Context,
  { apiKey }: Profile,
  options: UpdateFlags,
): Promise<Updates> {
  const { approvals, verify: _, ...rest } = options;
  const isGiven = [approvals, ...Object.values(rest)].some((value) => value !== undefined);
  const given = await readProfileFlags(context, { ...rest, approvals: approvals || undefined });
  const { baseUrl, caFile, clientCert, clientKey } = context.options;
  const hasGlobal = [baseUrl, caFile, clientCert, clientKey].some((value) => value !== undefined);
  if (isGiven || hasGlobal) return { ...given, typed: [] };
  if (!canAsk(context) || apiKey === undefined) {
    throw new SvcError('usage', 'no field to change was given', {
      hint: withCiReason(
        context,
        hint`to list the fields, run ${step('help', 'profiles', 'update', '--help')}`,
      ),
    });
  }
  const authToken = await askToken(context, 'authToken', apiKey);
  return { ...given, secrets: { authToken }, typed: ['authToken'] };
}

function applyChanges(profile: Profile, given: Profile, options: UpdateFlags): Profile {
  const flags = { protected: options.protected, readOnly: options.readOnly };
  const { approvals, signers, ...rest } = { ...profile, ...withoutUndefined(given) };
  const rule = options.approvals === false ? {} : { approvals, signers };
  const {
    org,
    caFile,
    clientCert,
    clientKey,
    protected: isProtected,
    readOnly,
    ...others
  } = { ...rest, ...withoutUndefined(flags) };
  return withoutUndefined({
    ...others,
    ...rule,
    org: org || undefined,
    caFile: caFile || undefined,
    clientCert: clientCert || undefined,
    clientKey: clientKey || undefined,
    protected: isProtected || undefined,
    readOnly: readOnly || undefined,
  });
}

interface Move {
  readonly before: Profile;
  readonly after: Profile;
  /** Whether the profile gets another origin. */
  readonly moved: boolean;
}

/**
 * Asks for the secrets that another base URL or API key needs.
 * @throws SvcError `usage` if prompts are not possible, and a stored secret is for another origin
 */
async function completeSecrets(
  context: Context,
  { before, after, moved }: Move,
  given: TypedSecrets,
): Promise<TypedSecrets> {
  let { secrets } = given;
  const typed = [...given.typed];
  const owners = {
    authToken: [before.apiKey, after.apiKey],
    workspaceAuthToken: [before.workspaceId, after.workspaceId],
  } as const;
  for (const name of TOKENS) {
    const [earlier, owner] = owners[name];
    const isStored = before.secrets?.[name] !== undefined;
    if (secrets[name] !== undefined || !isStored || !(moved || earlier !== owner)) continue;
    if (canAsk(context) && owner !== undefined) {
      secrets = { ...secrets, [name]: await askToken(context, name, owner) };
      typed.push(name);
    } else if (moved) {
      const flag = name === 'authToken' ? 'auth-token' : 'workspace-auth-token';
      throw new SvcError(
        'usage',
        `another base URL needs the ${FIELD_NAMES[name]} again; it was saved for ${originOf(before)} only`,
        { hint: withCiReason(context, `add --${flag}-file or --${flag}-stdin`) },
      );
    }
  }
  const hasNewCertificate = CERTIFICATE_FIELDS.some((field) => before[field] !== after[field]);
  if (moved || hasNewCertificate)
    secrets = { ...secrets, clientKeyPassphrase: await findKeyPassphrase(context, after) };
  return { secrets, typed };
}

/** Verifies the credentials that an update changes. Returns only the secrets that changed. */
async function verifyUpdated(
  context: Context,
  { before, after, moved }: Move,
  { secrets, typed }: TypedSecrets,
) {
  const stored = moved ? {} : (await readSecrets(createSecretStorage(context), before)).secrets;
  const isAffected = (name: TokenName, owner: 'apiKey' | 'workspaceId') =>
    secrets[name] !== undefined ||
    [...CONNECTION_FIELDS, owner].some((field) => before[field] !== after[field]);
  const select = (name: TokenName, owner: 'apiKey' | 'workspaceId') =>
    isAffected(name, owner) ? { [name]: secrets[name] ?? stored[name]?.value } : {};
  const tested: Secrets = {
    ...select('authToken', 'apiKey'),
    ...select('workspaceAuthToken', 'workspaceId'),
    clientKeyPassphrase: secrets.clientKeyPassphrase ?? stored.clientKeyPassphrase?.value,
  };
  const verified = await verifySecrets(context, after, tested, typed);
  const isChanged = (name: keyof Secrets) =>
    secrets[name] !== undefined || verified.secrets[name] !== tested[name];
  const changed = SECRET_SETTINGS.filter(isChanged);
  return {
    isVerified: verified.isVerified,
    secrets: Object.fromEntries(changed.map((name) => [name, verified.secrets[name]])) as Secrets,
  };
}

const TOKENS = ['authToken', 'workspaceAuthToken'] as const satisfies readonly TokenName[];
const CERTIFICATE_FIELDS = ['clientCert', 'clientKey'] as const;
const CONNECTION_FIELDS = ['baseUrl', 'headerPrefix', 'caFile', ...CERTIFICATE_FIELDS] as const;
const CREDENTIAL_FIELDS = [...CONNECTION_FIELDS, 'apiKey', 'workspaceId'] as const;

function changesCredentials(before: Profile, after: Profile, secrets: Secrets): boolean {
  const hasSecrets = SECRET_SETTINGS.some((name) => secrets[name] !== undefined);
  return hasSecrets || CREDENTIAL_FIELDS.some((field) => before[field] !== after[field]);
}

const FIELD_NAMES = {
  baseUrl: 'base URL',
  headerPrefix: 'header prefix',
  apiKey: 'API key',
  workspaceId: 'workspace ID',
  caFile: 'file of certificate authorities',
  clientCert: 'client certificate',
  clientKey: 'client key',
  org: 'organization',
  output: 'output format',
  protected: 'protected',
  readOnly: 'read-only',
  approvals: 'approvals',
  signers: 'signers',
  authToken: 'auth token',
  workspaceAuthToken: 'workspace auth token',
  clientKeyPassphrase: 'passphrase of the client key',
} as const;

function describeChanges(before: Profile, after: Profile, secrets: Secrets): readonly string[] {
  const fields = Object.keys(FIELD_NAMES) as (keyof typeof FIELD_NAMES)[];
  const earlier: Profile & Secrets = before;
  const later: Profile & Secrets = { ...after, ...secrets };
  const changed = fields.filter(
    (field) => JSON.stringify(earlier[field]) !== JSON.stringify(later[field]),
  );
  return changed.map((field) =>
    isProtection(field) && after[field] === undefined
      ? `not ${FIELD_NAMES[field]}`
      : FIELD_NAMES[field],
  );
}

function withoutUndefined<Values extends object>(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Values;
}

const PROTECTIONS = ['protected', 'readOnly', 'approvals'] as const;
type Protection = (typeof PROTECTIONS)[number];

function isProtection(field: string): field is Protection {
  return PROTECTIONS.some((protection) => protection === field);
}

/**
 * Lets only a person at a terminal loosen the protections of a profile. `--yes` does not confirm it.
 * @throws SvcError `usage` if prompts are not possible, or if the typed name does not match
 */
async function confirmLoosening(
  context: Context,
  name: string,
  before: Profile,
  after: Profile,
): Promise<void> {
  const loosened = findLoosened(before, after).join(' and ');
  if (loosened === '') return;
  if (!canAsk(context))
    throw new SvcError(
      'usage',
      `only a person at a terminal can loosen the protection of profile '${name}'${becauseOfCi(context)}; nothing was changed`,
    );
  const message = `This loosens the protection of profile ${name}: ${loosened}. Type the profile name to continue`;
  const typed = await (await context.prompter()).text({ message });
  if (typed.trim() !== name)
    throw new SvcError('usage', 'the typed name does not match the profile; nothing was changed');
}

/** Describes each protection that is looser after a change. */
function findLoosened(before: Profile, after: Profile): readonly string[] {
  const { approvals: demanded = 0 } = before;
  const { approvals = 0 } = after;
  const { path, sha256 } = after.signers ?? {};
  const changesSigners = before.signers?.path !== path || before.signers?.sha256 !== sha256;
  return [
    ...(before.protected && !after.protected ? ['no longer protected'] : []),
    ...(before.readOnly && !after.readOnly ? ['no longer read-only'] : []),
    ...(approvals < demanded
      ? [`${formatNounCount(approvals, 'approval')} instead of ${demanded}`]
      : []),
    ...(demanded > 0 && approvals > 0 && changesSigners ? ['different signers'] : []),
  ];
}
