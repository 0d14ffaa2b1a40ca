import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OperationName } from '../../../src/catalog/index.ts';
import { manifest } from '../../../src/catalog/manifest.ts';
import { createClient, type PlannedRequest } from '../../../src/client/client.ts';
import { createFetchTransport } from '../../../src/client/fetch-transport.ts';
import { runBulkOperation } from '../../../src/commands/bulk/bulk-operation.ts';
import type { BulkOptions, BulkRequest } from '../../../src/commands/bulk/bulk-request.ts';
import type { GlobalOptions } from '../../../src/commands/context.ts';
import { type Clock, systemClock } from '../../../src/kernel/clock.ts';
import { FAILURES, SvcError } from '../../../src/kernel/errors.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';
import { requireUniqueNames } from '../../unique-names.ts';
import { fakeContext } from '../fake-context.ts';

interface User {
  readonly userId: string;
}

type Data = Readonly<Record<string, unknown>>;

export interface BulkScenario {
  /** Default: `users.add`. */
  readonly operation?: OperationName;
  /** Response to the nth request, from its users if any. By default every user is added. */
  readonly answer?: (
    users: readonly User[],
    index: number,
    data: Data,
  ) => Response | Promise<Response>;
  readonly options?: Partial<BulkOptions>;
  readonly global?: Partial<GlobalOptions>;
  readonly data?: Data;
  readonly record?: BulkRequest['record'];
  readonly usesDataFlag?: boolean;
  readonly files?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly answers?: readonly string[];
}

const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
export const results = (data: unknown) =>
  json({ result: { status: 'success', message: 'ok', data } });
export const added = (users: readonly User[]) =>
  results(
    Object.fromEntries(
      users.map(({ userId }) => [userId, { success: true, id: 'x', message: 'User added.' }]),
    ),
  );
export const refused = (status: string, http: number, details?: unknown) =>
  json({ error: { status, message: 'said no', details } }, http);

const FIVE = JSON.stringify(
  ['a', 'b', 'c', 'd', 'e'].map((userId) => ({ userId })),
  null,
  1,
);
const OPTIONS: BulkOptions = { concurrency: 1, onError: 'continue', duplicates: 'fail' };

/** A clock whose pauses take no time. */
const INSTANT_CLOCK: Clock = {
  now: systemClock.now,
  sleep: async (_, ending) => ending?.throwIfAborted(),
};

/**
 * Runs a bulk operation against a fake service at the network edge, in a folder with the given
 * files.
 */
export async function runBulk(scenario: BulkScenario) {
  const cwd = await createTemporaryFolder();
  const files = scenario.files ?? { 'users.json': FIVE };
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
  const base = await fakeContext({
    cwd,
    options: { output: 'json', ...scenario.global },
    ...(scenario.answers && { answers: scenario.answers }),
  });
  const signal = scenario.signal ?? base.signal;
  const { client, requests, planned } = await fakeClient(scenario, signal);
  const context = { ...base, signal, clock: INSTANT_CLOCK, client: async () => client };
  const name = scenario.operation ?? 'users.add';
  const entry = manifest.find((known) => known.name === name);
  if (!entry) throw new Error(`unknown operation ${name}`);
  const file = Object.keys(files)[0];
  const options = {
    ...OPTIONS,
    ...(file && !scenario.record && { file: [file] }),
    ...scenario.options,
  };
  const { data = { organizationId: 'acme' }, record, usesDataFlag = false } = scenario;
  const error = await runBulkOperation(context, entry, {
    data,
    record,
    usesDataFlag,
    options,
    flags: {},
  }).then(
    () => undefined,
    (thrown: unknown) => {
      if (thrown instanceof SvcError) return thrown;
      throw thrown;
    },
  );
  return {
    error,
    exitCode: error ? FAILURES[error.failure].exitCode : 0,
    summary:
      base.stdout() && scenario.global?.output === undefined
        ? JSON.parse(base.stdout())
        : undefined,
    stdout: base.stdout(),
    stderr: base.stderr(),
    questions: base.questions,
    requests,
    planned,
    read: (path: string) => readFile(join(cwd, path), 'utf8'),
    created: (await readdir(cwd)).filter((path) => !(path in files)),
  };
}

async function fakeClient({ answer = added, global }: BulkScenario, signal: AbortSignal) {
  const requests: (Data & { readonly users: readonly User[] })[] = [];
  const planned: PlannedRequest[] = [];
  const client = createClient({
    target: {
      baseUrl: 'https://api.example.test',
      headerPrefix: 'x-svc-',
      key: { apiKey: 'k', authToken: 'token-1234' },
    },
    clock: INSTANT_CLOCK,
    transport: createFetchTransport(async (input, init) => {
      const body = await new Request(input, init).text();
      requireUniqueNames(body);
      const { data }: { readonly data: (typeof requests)[number] } = JSON.parse(body);
      requests.push(data);
      return answer(data.users, requests.length - 1, data);
    }, 10_000),
    maxWait: 0,
    signal,
    ...(global?.dryRun && { dryRun: async (request) => void planned.push(request) }),
  });
  return { client, requests, planned };
}
