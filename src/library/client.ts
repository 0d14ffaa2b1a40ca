import type { Operation } from '../catalog/define.ts';
import { DEFAULT_HEADER_PREFIX } from '../catalog/headers.ts';
import { loadOperation } from '../catalog/index.ts';
import { findIntendedField } from '../catalog/intended-field.ts';
import { manifest, type OperationEntry } from '../catalog/manifest.ts';
import { rejectSelectingFields } from '../catalog/selecting-fields.ts';
import { findTargetIdProblems } from '../catalog/target-ids.ts';
import {
  type ClientOptions,
  createClient as createInternalClient,
  type Target,
} from '../client/client.ts';
import { createHttpTransport } from '../client/http-transport.ts';
import { fetchPages } from '../client/pages.ts';
import { ServiceError } from '../client/service-error.ts';
import type { Transport } from '../client/transport.ts';
import type { ReadOnly } from '../client/write-guard.ts';
import { systemClock } from '../kernel/clock.ts';
import { SvcError } from '../kernel/errors.ts';
import { formatFieldPath, valueAt } from '../kernel/field-path.ts';
import { isObject } from '../kernel/json.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { maskSecrets } from '../kernel/remove-secrets.ts';
import { checkSettings, type SettingKinds } from './check-settings.ts';
import type { Input, OperationName, Output } from './operations.ts';

/**
 * Service and credentials of a client. The environment, profiles, and the keychain have no effect.
 */
export interface ClientSettings {
  /** URL of the service: `https://api.example.com`, with an optional path. */
  readonly baseUrl: string;
  /** Prefix of the credential headers (default: `x-svc-`). */
  readonly headerPrefix?: string;
  /** API key and its auth token, which most operations require. */
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
  /** Workspace ID and its auth token, which operations on the workspace require. */
  readonly workspaceId?: string | undefined;
  readonly workspaceAuthToken?: string | undefined;
  /** `fetch` implementation to use instead of the network. */
  readonly fetch?: typeof globalThis.fetch;
  /** Timeout of one attempt in milliseconds (default: 60,000). */
  readonly timeout?: number;
  /** Maximum total wait for rate limits in milliseconds (default: 600,000). 0 never waits. */
  readonly maxWait?: number;
  /**
   * Time in milliseconds to retry calls that are safe to repeat while a proxy does not reach the
   * service (default: 10,000).
   */
  readonly retryFor?: number;
  /** Aborts all calls with its reason. */
  readonly signal?: AbortSignal;
  /** Allows plain HTTP to hosts other than this machine. */
  readonly insecureHttp?: boolean;
  /**
   * Refuses all writes and all operations that hand out a credential, and masks the secrets in
   * results. Binds this client, not its token.
   */
  readonly readOnly?: boolean;
}

/**
 * Calls the service and retries calls that are safe to repeat. All calls share the waits for rate
 * limits.
 */
export interface Client {
  /**
   * Calls one operation. Refuses an unknown field such as `role` or `org`, which probably means
   * `accessRole` or `organizationId`, unless `keep` names it.
   * @returns `data` as the service sent it, or null if it sent none
   * @throws SvcError with the kind of failure in `failure`
   */
  call<Name extends OperationName>(
    operation: Name,
    input: Input<Name>,
    options?: CallOptions,
  ): Promise<Output<Name> | null>;
  /** Calls a paginated operation until the last page, and yields the data of each page. */
  pages<Name extends OperationName>(
    operation: Name,
    input: Input<Name>,
  ): AsyncIterable<Output<Name> | null>;
}

export interface CallOptions {
  /** Fields to send as they are, although they look like others: `['role']`. */
  readonly keep?: readonly string[];
}

const DEFAULTS = { headerPrefix: DEFAULT_HEADER_PREFIX, timeout: 60_000, maxWait: 600_000 };

/** Creates a client. @throws SvcError `usage` for invalid settings */
export function createClient(settings: ClientSettings): Client {
  checkSettings(settings, SETTINGS);
  if (settings.baseUrl === undefined) throw new SvcError('usage', 'baseUrl is required');
  const { timeout, maxWait, retryFor, signal, insecureHttp } = { ...DEFAULTS, ...settings };
  const readOnly = parseReadOnly(settings);
  const client = createNamedClient({
    target: targetOf(settings),
    clock: systemClock,
    transport: transportOf(settings.fetch, timeout),
    maxWait,
    ...(retryFor !== undefined && { retryTimes: { call: retryFor, job: retryFor } }),
    ...(signal && { signal }),
    ...(insecureHttp && { insecureHttp }),
    ...(readOnly && { readOnly }),
  });
  const show = <Data>({ secrets }: OperationEntry, data: Data): Data =>
    readOnly ? (maskSecrets(data, secrets) as Data) : data;
  return {
    call: async (name, input, { keep } = {}) => {
      const { entry, operation } = await findOperation(name);
      rejectSelectingFields(operation, input, keep);
      checkIds(operation, input);
      const outcome = await client.call(operation, input).catch((error: unknown) => {
        throw error instanceof ServiceError ? withFieldHint(error, operation, input) : error;
      });
      return outcome.sent ? show(entry, outcome.data as Output<typeof name> | null) : null;
    },
    async *pages(name, input) {
      const { entry, operation } = await findOperation(name);
      rejectSelectingFields(operation, input);
      checkIds(operation, input);
      for await (const page of fetchPages(client, operation, input))
        yield show(entry, page.data as Output<typeof name> | null);
    },
  };
}

const SETTINGS: SettingKinds<ClientSettings> = {
  baseUrl: 'text',
  headerPrefix: 'text',
  apiKey: 'text',
  authToken: 'text',
  workspaceId: 'text',
  workspaceAuthToken: 'text',
  fetch: 'function',
  timeout: 'milliseconds',
  maxWait: 'milliseconds',
  retryFor: 'milliseconds',
  signal: 'signal',
  insecureHttp: 'switch',
  readOnly: 'switch',
};

/** Creates a client. An error about the base URL names the setting instead of the flag. */
function createNamedClient(options: ClientOptions): ReturnType<typeof createInternalClient> {
  try {
    return createInternalClient(options);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw error.reworded({
      hint: error.hint?.replace('--insecure-http', 'set insecureHttp: true'),
    });
  }
}

/** Adds the field that the caller probably misspelled, if the input lacks a required one. */
function withFieldHint(
  error: ServiceError,
  { input: schema }: Operation,
  input: unknown,
): SvcError {
  if (error.failure !== 'invalid_argument' || error.hint !== undefined) return error;
  for (const { path } of schema.safeParse(input).error?.issues ?? []) {
    const parent = valueAt(input, path.slice(0, -1));
    const missing = String(path.at(-1));
    if (!isObject(parent) || parent[missing] !== undefined) continue;
    const name = Object.keys(parent).find((each) => findIntendedField(each, [missing]));
    if (name === undefined) continue;
    return error.reworded({ hint: `did you mean '${missing}' instead of '${name}'?` });
  }
  return error;
}

/** @throws SvcError `invalid_input` for an ID with invisible characters or spaces around it */
function checkIds({ input: schema }: Operation, input: unknown): void {
  const [problem] = findTargetIdProblems(schema, input);
  if (problem)
    throw new SvcError('invalid_input', `${formatFieldPath(problem.path)} ${problem.message}`);
}

/** Loads the transport for a custom `fetch` only if there is one. */
function transportOf(
  fetch: typeof globalThis.fetch | undefined,
  attemptTimeout: number,
): Transport {
  if (!fetch) return createHttpTransport({ attemptTimeout }).transport;
  return async (request, signal) => {
    const { createFetchTransport: fetchTransport } = await import('../client/fetch-transport.ts');
    return fetchTransport(fetch, attemptTimeout)(request, signal);
  };
}

function targetOf(settings: ClientSettings): Target {
  const { baseUrl, headerPrefix, apiKey, authToken, workspaceId, workspaceAuthToken } = {
    ...DEFAULTS,
    ...settings,
  };
  return {
    baseUrl,
    headerPrefix,
    ...(apiKey && authToken && { key: { apiKey, authToken } }),
    ...(workspaceId && workspaceAuthToken && { workspace: { workspaceId, workspaceAuthToken } }),
    missingReason: 'the client settings do not include it',
  };
}

function parseReadOnly({ readOnly, baseUrl }: ClientSettings): ReadOnly | undefined {
  const subject = URL.parse(baseUrl)?.host ?? baseUrl;
  return readOnly ? { subject, sources: ['createClient({ readOnly: true })'] } : undefined;
}

async function findOperation(name: OperationName) {
  const entry = manifest.find((known) => known.name === name);
  if (!entry) {
    const names = manifest.map((known) => known.name);
    throw new SvcError('usage', `unknown operation '${name}'; ${didYouMean(name, names)}`);
  }
  return { entry, operation: await loadOperation(entry.resource, entry.name) };
}
