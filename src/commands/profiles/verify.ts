import { DEFAULT_HEADER_PREFIX } from '../../catalog/headers.ts';
import { AttemptTimeoutError, withTimeLimit } from '../../client/time-limit.ts';
import { type Failure, SvcError } from '../../kernel/errors.ts';
import type { Environment } from '../../kernel/folders.ts';
import { isLoopback } from '../../kernel/loopback.ts';
import { SETTING_VARIABLES } from '../../kernel/variables.ts';
import type { Profile, Secrets } from '../../profiles/profile.ts';
import type { Settings } from '../../profiles/resolve.ts';
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

interface Verification {
  readonly isVerified: boolean;
  /** Why the credentials could not be verified. */
  readonly problem?: string;
  /** The credential that the service rejected. */
  readonly rejection?: { readonly kind: CredentialKind; readonly error: SvcError };
}

/** Reads with each credential of a profile. @throws SvcError for an unexpected failure */
export async function verifyCredentials(
  context: Context,
  profile: Profile,
  secrets: Secrets,
): Promise<Verification> {
  const settings = toSettings(profile, secrets, context.environment);
  const kinds = [
    ...(settings.apiKey && settings.authToken ? (['key'] as const) : []),
    ...(settings.workspaceId && settings.workspaceAuthToken ? (['workspace'] as const) : []),
  ];
  if (!settings.baseUrl || kinds.length === 0) return { isVerified: false };
  const url = new URL(settings.baseUrl.value);
  if (url.protocol === 'http:' && !isLoopback(url) && !context.options.insecureHttp) {
    const problem =
      'plain HTTP would send the credentials unencrypted; to allow it, add --insecure-http';
    return { isVerified: false, problem };
  }
  try {
    await withTimeLimit(VERIFY_TIMEOUT, context.signal, async (signal) => {
      for (const kind of kinds)
        await read({ ...context, signal, settings: async () => settings }, kind);
    });
    return { isVerified: true };
  } catch (error) {
    context.signal.throwIfAborted();
    const isInconclusive = error instanceof SvcError && INCONCLUSIVE.includes(error.failure);
    if (error instanceof AttemptTimeoutError || isInconclusive)
      return { isVerified: false, problem: error.message };
    if (error instanceof RejectionError)
      return { isVerified: false, rejection: { kind: error.kind, error: error.rejection } };
    throw error;
  }
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
    throw REJECTIONS[kind].includes(error.failure)
      ? new RejectionError(kind, toRejection(error, kind))
      : error;
  } finally {
    await close();
  }
}

function toRejection(error: SvcError, kind: CredentialKind): SvcError {
  const name =
    kind === 'key' ? 'the API key or its auth token' : 'the workspace ID or its auth token';
  return new SvcError(
    'unauthenticated',
    `the service rejected ${name}; nothing was saved: ${error.message}`,
    {
      ...optionalProperty('status', error.status),
      hint: 'correct the values, or add --no-verify to save them unverified',
      cause: error,
    },
  );
}

function toSettings(
  { baseUrl, apiKey, workspaceId, headerPrefix, ...profile }: Profile,
  secrets: Secrets,
  environment: Environment,
): Settings {
  const sourced = (value: string) => ({ value, source: 'the new profile' });
  const optional = Object.entries({
    baseUrl,
    apiKey,
    workspaceId,
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
    protected: false,
    readOnly: false,
    headerPrefix: sourced(headerPrefix ?? DEFAULT_HEADER_PREFIX),
    ...Object.fromEntries(given),
  };
}
