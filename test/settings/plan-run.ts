import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { JobDescription } from '../../src/bulk/journal/job-description.ts';
import { Journal } from '../../src/bulk/journal/journal.ts';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/fetch-transport.ts';
import {
  type EndedRun,
  type PlanRunDependencies,
  runPlan,
} from '../../src/settings/execute/run-plan.ts';
import { Ledger } from '../../src/settings/ledger.ts';
import { readSecrets } from '../../src/settings/plan/item-secrets.ts';
import type { PlannedItem, PlannedWrite } from '../../src/settings/plan.ts';
import { SecretValue } from '../../src/settings/secret-value.ts';
import { createRecordKey } from '../../src/settings/settings.ts';
import { startTestService } from '../service/test-service.ts';
import { createUserFolders } from '../temporary-folder.ts';

export const TARGET = { url: 'http://localhost', apiKey: 'k1' };

const DESCRIPTION: JobDescription = {
  job: '20260131-094500-5f3a9c',
  operation: 'apply',
  data: {},
  options: {},
  cwd: '/',
  inputs: [],
  target: { profile: null, origin: '', apiKey: null },
  records: 0,
  leftOut: 0,
  startedAt: 0,
};

/** A request to the service: its path and data. */
export interface SentRequest {
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read requests of every shape
  readonly data: any;
}

type Reply = (request: SentRequest) => Promise<Response | undefined> | Response | undefined;

/**
 * Runs plans against a new embedded service. `intercept` may change a request, or respond in place
 * of the service.
 */
export async function startPlanRuns(intercept: Reply = () => undefined) {
  const service = await startTestService();
  const folders = await createUserFolders();
  const ledger = await Ledger.open(folders, async () => undefined);
  onTestFinished(() => ledger.close());
  const requests: SentRequest[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { url, headers, text } = await readRequest(new Request(input, init));
    const request = { path: new URL(url).pathname, data: JSON.parse(text).data };
    requests.push(request);
    const reply = await intercept(request);
    return (
      reply ??
      service.fetch(url, { method: 'POST', headers, body: JSON.stringify({ data: request.data }) })
    );
  };
  const { apiKey, authToken } = service.credentials;
  const target = {
    baseUrl: 'http://localhost',
    headerPrefix: 'x-svc-',
    key: { apiKey, authToken },
  };
  const clock = { now: Date.now, sleep: async () => undefined };
  const transport = createFetchTransport(fetch, 5_000);
  const createJournal = (path = join(folders.state, 'journal.sqlite')) =>
    Journal.create(DESCRIPTION, path);
  const run = async (
    writes: readonly PlannedWrite[],
    {
      secrets = {},
      ...more
    }: Partial<Omit<PlanRunDependencies, 'secrets'>> & { secrets?: Record<string, string> } = {},
  ): Promise<EndedRun & { readonly journal: Journal }> => {
    const journal = more.journal ?? (await Journal.create(DESCRIPTION));
    const client = createClient({ target, transport, clock, maxWait: 0 });
    const ended = await runPlan(
      { target: TARGET, writes },
      {
        client,
        clock,
        signal: new AbortController().signal,
        ledger,
        secrets: await readSecrets(writes, async (reference) => {
          return new SecretValue(reference, secrets[Object.values(reference)[0] as string] ?? '');
        }),
        beforeSend: async () => undefined,
        onStart: async () => async () => undefined,
        ...more,
        journal,
      },
    );
    return { ...ended, journal };
  };
  const read = async (path: string, data: unknown = {}) =>
    (await service.call(path, data)).body.result?.data;
  return { service, folders, ledger, requests, createJournal, run, read };
}

async function readRequest(request: Request) {
  const { url, headers } = request;
  return { url, headers, text: await request.text() };
}

export const folderItem = (
  folderId: string,
  fields: Record<string, unknown> = {},
): PlannedItem => ({
  key: createRecordKey('folders', 'acme', folderId),
  data: { folderId, folderName: folderId, ...fields },
  requires: fields['parentFolderId']
    ? [createRecordKey('folders', 'acme', String(fields['parentFolderId']))]
    : [],
});

export const addFolders = (...items: readonly PlannedItem[]): PlannedWrite => ({
  operation: 'folders.add',
  shared: { organizationId: 'acme', createOrganization: true },
  items,
});
