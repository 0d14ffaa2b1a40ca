import type { Auth } from '../catalog/define.ts';
import {
  CREDENTIAL_HEADERS,
  CREDENTIALS_BY_AUTH,
  DEFAULT_HEADER_PREFIX,
} from '../catalog/headers.ts';
import { manifest, type OperationEntry } from '../catalog/manifest.ts';
import { readResponseHead } from '../client/transport.ts';
import type { Clock } from '../kernel/clock.ts';
import { isObject, tryParseJson } from '../kernel/json.ts';
import { closeAfter } from '../kernel/resource.ts';
import type { ServiceOptions } from '../service/app.ts';
import { createService } from '../service/embedded.ts';
import { ensureLocalCredentials } from '../service/records/bootstrap.ts';
import { importState } from '../service/state/transfer.ts';
import { openMemoryStore } from '../service/store/sqlite-store.ts';
import type { Contract } from './contract.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { loadSampleCalls } from './sample-calls.ts';
import { createSampleState } from './sample-state.ts';

interface PlayOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the contract of the embedded service with these options: plays the sample calls of every
 * operation at services in memory, with and without records, and records the responses like those
 * of a real service.
 */
export async function playSamples(
  { clock, signal }: PlayOptions,
  options: ServiceOptions = {},
): Promise<Contract> {
  const recorder = createRecorder(() => 0);
  for (const hasRecords of [true, false]) {
    signal?.throwIfAborted();
    await playAt({ hasRecords, options }, clock, recorder);
  }
  return recorder.contract();
}

async function playAt(
  { hasRecords, options }: { readonly hasRecords: boolean; readonly options: ServiceOptions },
  clock: Clock,
  recorder: Recorder,
): Promise<void> {
  await closeAfter(await openMemoryStore(), async (store) => {
    const credentials = await ensureLocalCredentials(store);
    const { apiKey } = credentials;
    if (hasRecords) {
      const state = createSampleState();
      const [problem] = await importState(
        { store, apiKey, now: clock.now(), dryRun: false },
        state,
      );
      if (problem) throw new TypeError(`invalid sample state: ${problem.message}`);
    }
    const { post, whenIdle } = createService({ store, clock, ...options });
    const last = new Map<string, string>();
    const send = async (
      { path }: OperationEntry,
      headers: ReadonlyMap<string, string>,
      requestBody: string,
    ) => {
      const {
        status,
        body,
        headers: own,
      } = await post(`http://localhost${path}`, headers, requestBody);
      const response = {
        ...readResponseHead(status, (name) => own?.[name]),
        body: { text: body },
      };
      recorder.record({ path, requestBody, response, confirmed: false });
      collectTexts(tryParseJson(body), last);
    };
    for (const entry of manifest) {
      for (const { headers, body } of createBadRequests(entry, credentials))
        await send(entry, headers, body);
    }
    const known = { apiKey, last: (field: string) => last.get(field) ?? '' };
    const entries = new Map(manifest.map((entry) => [entry.name, entry]));
    for (const [name, createData] of await loadSampleCalls()) {
      const entry = entries.get(name);
      if (!entry) continue;
      const body = JSON.stringify({ data: createData(known) });
      await send(entry, createHeaders(entry.auth, credentials), body);
      await whenIdle();
    }
  });
}

type Credentials = Readonly<Record<string, string>>;

function createHeaders(auth: Auth, credentials: object): ReadonlyMap<string, string> {
  return new Map([
    ['content-type', 'application/json'],
    ...CREDENTIALS_BY_AUTH[auth].map(
      (name) =>
        [
          DEFAULT_HEADER_PREFIX + CREDENTIAL_HEADERS[name],
          (credentials as Credentials)[name] ?? '',
        ] satisfies [string, string],
    ),
  ]);
}

/** Creates requests that the service rejects: missing and wrong credentials, and bad bodies. */
function createBadRequests(
  { auth }: OperationEntry,
  credentials: object,
): readonly { readonly headers: ReadonlyMap<string, string>; readonly body: string }[] {
  const empty = '{"data":{}}';
  const [idHeader, tokenHeader] = CREDENTIALS_BY_AUTH[auth];
  const unknown = 'unknown';
  const changed: readonly object[] =
    idHeader && tokenHeader
      ? [
          { ...credentials, [idHeader]: '' },
          { ...credentials, [tokenHeader]: '' },
          { ...credentials, [idHeader]: unknown },
          { ...credentials, [tokenHeader]: unknown },
        ]
      : [];
  const headers = createHeaders(auth, credentials);
  return [
    ...changed.map((each) => ({ headers: createHeaders(auth, each), body: empty })),
    ...[empty, '{}', 'text', '{"data":[]}', '{"data":{"organizationId":1}}'].map((body) => ({
      headers,
      body,
    })),
  ];
}

/** Keeps texts of responses by their field names, for later calls. */
function collectTexts(value: unknown, last: Map<string, string>): void {
  if (Array.isArray(value)) for (const item of value) collectTexts(item, last);
  if (!isObject(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === 'string') last.set(name, inner);
    else collectTexts(inner, last);
  }
}
