import { DEFAULT_HEADER_PREFIX } from '../../catalog/headers.ts';
import { AttemptTimeoutError, withTimeLimit } from '../../client/time-limit.ts';
import { type Failure, SvcError } from '../../kernel/errors.ts';
import type { Environment } from '../../kernel/folders.ts';
import { isLoopback } from '../../kernel/loopback.ts';
import { SETTING_VARIABLES } from '../../kernel/variables.ts';
import type { Profile, Secrets } from '../../profiles/profile.ts';
import type { TargetWithSecrets } from '../../profiles/target.ts';
import { loadClientCertificate } from '../connection/client-certificate.ts';
import { connect } from '../connection/connect.ts';
import { type CredentialKind, readWithCredential } from '../connection/credential-reads.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../options.ts';

/** Time limit for all reads and their retries, in milliseconds. */
const VERIFY_TIMEOUT = 10_000;
/**
 * Failures that do not show whether the credentials are valid. An unknown path may be due to a
 * wrong base URL.
 */
const INCONCLUSIVE: readonly Failure[] = [
  'unreachable',
  'invalid_response',
  'resource_exhausted',
  'not_found',
];

/**
 * Failures that show that the credentials are invalid. A missing API key is never reported as not
 * found.
 */
const REJECTIONS: Readonly<Record<CredentialKind, readonly Failure[]>> = {
  key: ['unauthenticated', 'permission_denied', 'invalid_argument'],
  workspace: ['unauthenticated', 'permission_denied', 'invalid_argument', 'not_found'],
};

export interface CredentialCheck {
  readonly isVerified: boolean;
  /** Why the credentials could not be verified, such as a failed connection. */
  readonly problem?: Error;
  /** The credential that the service rejected. */
  readonly rejection?: { readonly kind: CredentialKind; readonly error: SvcError };
}

/** Reads with each credential of a profile. @throws SvcError for an unexpected failure */
export async function verifyCredentials(
  context: Context,
  profile: Profile,
  secrets: Secrets,
): Promise<CredentialCheck> {
  const verification = await verifyTarget(context, toTarget(profile, secrets, context.environment));
  const { rejection } = verification;
  return rejection
    ? { ...verification, rejection: { ...rejection, error: toRejection(rejection) } }
    : verification;
}

/** Reads with each credential of a target. @throws SvcError for an unexpected failure */
export async function verifyTarget(
  context: Context,
  target: TargetWithSecrets,
): Promise<CredentialCheck> {
  const kinds = [
    ...(target.apiKey && target.authToken ? (['key'] as const) : []),
    ...(target.workspaceId && target.workspaceAuthToken ? (['workspace'] as const) : []),
  ];
  if (!target.baseUrl || kinds.length === 0) return { isVerified: false };
  const url = new URL(target.baseUrl.value);
  if (url.protocol === 'http:' && !isLoopback(url) && !context.options.insecureHttp) {
    const problem =
      'plain HTTP would send the credentials unencrypted; to allow it, add --insecure-http';
    return { isVerified: false, problem: new SvcError('usage', problem) };
  }
  try {
    await withTimeLimit(VERIFY_TIMEOUT, context.signal, async (signal) => {
      for (const kind of kinds) await read(withTarget({ ...context, signal }, target), kind);
    });
    return { isVerified: true };
  } catch (error) {
    context.signal.throwIfAborted();
    const isInconclusive = error instanceof SvcError && INCONCLUSIVE.includes(error.failure);
    if (error instanceof AttemptTimeoutError || isInconclusive)
      return { isVerified: false, problem: error };
    if (error instanceof RejectionError)
      return { isVerified: false, rejection: { kind: error.kind, error: error.rejection } };
    throw error;
  }
}

/** Replaces the target of a context for reads, to which no protection applies. */
function withTarget(context: Context, resolved: TargetWithSecrets): Context {
  const { authToken: _, workspaceAuthToken: __, clientKeyPassphrase: ___, ...target } = resolved;
  const targetWithSecrets = async () => resolved;
  return {
    ...context,
    target: async () => ({ ...target, withSecrets: targetWithSecrets }),
    targetWithSecrets,
    readOnly: async () => undefined,
    approvals: async () => undefined,
  };
}

/** Tells which credential the service rejected. */
class RejectionError extends Error {
  readonly kind: CredentialKind;
  readonly rejection: SvcError;

  constructor(kind: CredentialKind, rejection: SvcError) {
    super(rejection.message, { cause: rejection });
    this.kind = kind;
    this.rejection = rejection;
  }
}

async function read(context: Context, kind: CredentialKind): Promise<void> {
  const options = {
    ...context.options,
    local: false,
    maxWait: Math.min(context.options.maxWait, VERIFY_TIMEOUT),
    retryFor: 0,
  };
  const { client, close } = await connect({ ...context, options });
  try {
    if (await readWithCredential(client, kind)) return;
    throw new SvcError('invalid_response', 'the response is not from the service');
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    // The service accepted the credentials; only a feature is off.
    if (error.failure === 'failed_precondition') return;
    throw REJECTIONS[kind].includes(error.failure) ? new RejectionError(kind, error) : error;
  } finally {
    await close();
  }
}

const CREDENTIAL_NAMES = {
  key: 'the API key or its auth token',
  workspace: 'the workspace ID or its auth token',
} as const satisfies Record<CredentialKind, string>;

export function describeRejection({
  kind,
  error,
}: NonNullable<CredentialCheck['rejection']>): string {
  return `the service rejected ${CREDENTIAL_NAMES[kind]}: ${error.message}`;
}

function toRejection({ kind, error }: NonNullable<CredentialCheck['rejection']>): SvcError {
  return new SvcError(
    'unauthenticated',
    `the service rejected ${CREDENTIAL_NAMES[kind]}; nothing was saved: ${error.message}`,
    {
      ...optionalProperty('status', error.status),
      hint: 'correct the values, or add --no-verify to save them unverified',
      cause: error,
    },
  );
}

function toTarget(
  { baseUrl, apiKey, workspaceId, headerPrefix, ...profile }: Profile,
  secrets: Secrets,
  environment: Environment,
): TargetWithSecrets {
  const sourced = (value: string) => ({ value, source: 'the new profile' });
  const optional = Object.entries({
    baseUrl,
    apiKey,
    workspaceId,
    caFile: profile.caFile ?? environment[SETTING_VARIABLES.caFile],
    clientCert: profile.clientCert ?? environment[SETTING_VARIABLES.clientCert],
    clientKey: profile.clientKey ?? environment[SETTING_VARIABLES.clientKey],
    ...secrets,
    clientKeyPassphrase:
      secrets.clientKeyPassphrase ?? environment[SETTING_VARIABLES.clientKeyPassphrase],
  });
  const given = optional.flatMap(([name, value]) =>
    value ? [[name, sourced(value)] as const] : [],
  );
  return {
    readOnly: [],
    headerPrefix: sourced(headerPrefix ?? DEFAULT_HEADER_PREFIX),
    ...Object.fromEntries(given),
  };
}

/** Checks the client certificate. @returns the passphrase of its key, if it has one */
export async function findKeyPassphrase(
  context: Context,
  { clientCert, clientKey }: Profile,
): Promise<string | undefined> {
  if (clientCert === undefined && clientKey === undefined) return undefined;
  const variable = SETTING_VARIABLES.clientKeyPassphrase;
  const sourced = (name: string, value: string | undefined, source: string) =>
    optionalProperty(name, value ? { value, source } : undefined);
  const certificate = await loadClientCertificate(context, {
    ...sourced('clientCert', clientCert, '--client-cert'),
    ...sourced('clientKey', clientKey, '--client-key'),
    ...sourced('clientKeyPassphrase', context.environment[variable], variable),
  });
  return certificate?.passphrase;
}
