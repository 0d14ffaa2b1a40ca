import { loadOperation, loadResource } from '../../catalog/index.ts';
import { getEntry } from '../../catalog/manifest.ts';
import type { Client } from '../../client/client.ts';
import { fetchPages } from '../../client/pages.ts';
import { requireIds } from '../../client/response-data.ts';
import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { CONFIGS, type ConfigName } from '../kinds.ts';
import type { LiveQuery, LiveRecord, LiveRecords, Reading } from '../live-records.ts';

const CONCURRENCY = 6;

/**
 * Reads live records, concurrently. A missing organization has no records. A refusal to read a kind
 * of records is its reading's `problem`.
 * @throws SvcError if a read fails for another reason, or if the service denies every read: the
 * credential is wrong then
 */
export async function readLive(client: Client, query: LiveQuery): Promise<LiveRecords> {
  const enqueue = createRequestQueue(CONCURRENCY, (error) => !isRefusal(error));
  let reads = 0;
  const reader: Client = {
    ...client,
    call: (operation, input) =>
      enqueue(() => {
        reads += 1;
        return client.call(operation, input);
      }),
  };
  const readEach = async <Key, Records>(
    keys: readonly Key[],
    read: (key: Key) => Promise<Reading<Records>>,
  ) => new Map(await Promise.all(keys.map(async (key) => [key, await read(key)] as const)));
  const [configs, endpoints, folders, documents, agents, apiKeys] = await Promise.all([
    readEach(query.configs, (name) => attempt(() => readConfig(reader, name), {})),
    query.endpoints ? attempt(() => readEndpoints(reader), []) : undefined,
    readEach(query.folders, (org) =>
      attempt(() => readFolders(reader, org), new Map<string, LiveRecord>()),
    ),
    readEach(query.documents, (part) =>
      attempt(
        async () => (await import('./read-documents.ts')).readDocuments(reader, part),
        new Map<string, LiveRecord>(),
      ),
    ),
    attempt(() => readAgents(reader, query.agents), new Map<string, LiveRecord>()),
    // Outside of the queue, which a missing credential would stop.
    query.apiKeys ? readApiKeys(client) : undefined,
  ]);
  const readings = [...configs.values(), ...folders.values(), ...documents.values()];
  assertNotAllDenied([
    ...readings,
    ...(endpoints ? [endpoints] : []),
    ...(query.agents.length > 0 ? [agents] : []),
  ]);
  return {
    configs,
    folders,
    agents,
    reads,
    ...(endpoints && { endpoints }),
    ...(apiKeys && { apiKeys }),
    documents: new Map(
      Array.from(documents, ([{ organizationId }, reading]) => [organizationId, reading]),
    ),
  };
}

/**
 * Converts "not found" to missing records, and refusals that concern one kind of records to a
 * problem.
 */
async function attempt<Records>(
  read: () => Promise<Records>,
  missing: Records,
): Promise<Reading<Records>> {
  try {
    return { records: await read() };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return error.failure === 'not_found' ? { records: missing } : { problem: error };
  }
}

function isRefusal(error: unknown): error is SvcError {
  return (
    error instanceof SvcError &&
    ['not_found', 'permission_denied', 'failed_precondition'].includes(error.failure)
  );
}

function assertNotAllDenied(readings: readonly Reading<unknown>[]): void {
  const [first] = readings;
  if (first?.problem && readings.every(({ problem }) => problem?.failure === 'permission_denied'))
    throw first.problem;
}

async function readConfig(client: Client, name: ConfigName): Promise<LiveRecord> {
  const { read } = CONFIGS[name];
  const operation = await loadOperation(getEntry(read).resource, read);
  const outcome = await client.call(operation, {});
  return outcome.sent && isObject(outcome.data) ? outcome.data : {};
}

async function readEndpoints(client: Client): Promise<readonly LiveRecord[]> {
  const { MAX_ENDPOINTS, webhookEndpoints } = await import('../../catalog/webhook-endpoints.ts');
  const list = webhookEndpoints['webhooks.endpoints.list'];
  const found: LiveRecord[] = [];
  for await (const { data } of fetchPages(client, list, { limit: MAX_ENDPOINTS }))
    found.push(...requireIds(list, data?.endpoints ?? [], 'id'));
  return found;
}

async function readFolders(
  client: Client,
  organizationId: string,
): Promise<Map<string, LiveRecord>> {
  const { 'folders.list': list } = await loadResource('folders');
  const outcome = await client.call(list, { organizationId });
  const found = requireIds(list, (outcome.sent && outcome.data) || [], 'folderId');
  return new Map(found.map((folder) => [folder.folderId, folder]));
}

/**
 * Reads API keys, which takes the credentials of the workspace. Wrong or missing credentials are a
 * problem of this kind only.
 */
async function readApiKeys(client: Client): Promise<Reading<Map<string, LiveRecord>>> {
  const { 'workspace.get': get } = await loadResource('workspace');
  try {
    const outcome = await client.call(get, {});
    const keys = Object.values((outcome.sent && outcome.data?.apiKeyList) || {});
    return {
      records: new Map(keys.map(({ apiKeyName, id, type }) => [apiKeyName || id, { type }])),
    };
  } catch (error) {
    const isCredential =
      error instanceof SvcError && ['no_credential', 'unauthenticated'].includes(error.failure);
    if (isCredential || isRefusal(error)) return { problem: error };
    throw error;
  }
}

/** Reads agents by ID, because a list contains only part of their fields. */
async function readAgents(
  client: Client,
  query: LiveQuery['agents'],
): Promise<Map<string, LiveRecord>> {
  if (query.length === 0) return new Map();
  const { 'agents.get': get, 'agents.list': list } = await loadResource('agents');
  let ids = query;
  if (ids === 'all') {
    const outcome = await client.call(list, {});
    const agents = (outcome.sent && outcome.data?.agents) || [];
    ids = requireIds(list, agents, 'id').map(({ id }) => id);
  }
  const found = await Promise.all(
    ids.map(async (agentId) => {
      const { records, problem } = await attempt(() => client.call(get, { agentId }), undefined);
      if (problem) throw problem;
      return [agentId, records?.sent ? records.data?.agent : undefined] as const;
    }),
  );
  return new Map(found.flatMap(([id, record]) => (record ? [[id, record]] : [])));
}

type RunQueued = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** @param isFatal whether no further task starts after an error */
export function createRequestQueue(
  concurrency: number,
  isFatal: (error: unknown) => boolean,
): RunQueued {
  const waiting: (() => void)[] = [];
  let running = 0;
  let failure: { readonly error: unknown } | undefined;
  return async (task) => {
    if (running >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve));
    if (failure) throw failure.error;
    running += 1;
    try {
      return await task();
    } catch (error) {
      if (isFatal(error)) failure ??= { error };
      throw error;
    } finally {
      running -= 1;
      for (const start of failure ? waiting.splice(0) : waiting.splice(0, 1)) start();
    }
  };
}
