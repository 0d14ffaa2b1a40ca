import type { InputProblem } from '../../catalog/define.ts';
import { explainIssue } from '../../catalog/explain-issue.ts';
import { DEFAULT_HEADER_PREFIX } from '../../catalog/headers.ts';
import { loadOperation } from '../../catalog/index.ts';
import { getEntry } from '../../catalog/manifest.ts';
import { type State, stateSchema } from '../../catalog/state.ts';
import { type Client, createClient } from '../../client/client.ts';
import { createDirectTransport } from '../../client/direct-transport.ts';
import type { Clock } from '../../kernel/clock.ts';
import { SvcError } from '../../kernel/errors.ts';
import { formatFieldPath, valueAt } from '../../kernel/field-path.ts';
import { closeAfter } from '../../kernel/resource.ts';
import { createService } from '../../service/embedded.ts';
import { ensureLocalCredentials, type LocalCredentials } from '../../service/records/bootstrap.ts';
import { exportState, importState } from '../../service/state/transfer.ts';
import { openMemoryStore } from '../../service/store/sqlite-store.ts';
import type { PlannedWrite } from '../plan.ts';
import { describeEffects } from './effects.ts';
import { withPlaceholders } from './item-secrets.ts';

export interface Simulation {
  /** The live records that the plan may affect, in the format of `svc local export`. */
  readonly snapshot: State;
  readonly writes: readonly PlannedWrite[];
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

export interface Prediction {
  readonly effects: readonly string[];
  readonly state: State;
}

const BATCH_SIZE = 1_000;
const TIME_LIMIT = 60_000;

/**
 * Simulates a plan: loads the live records into an embedded service in memory, and performs the
 * writes there. Records of files are not sent, because no record that the API can read depends on
 * them.
 */
export async function predict(simulation: Simulation): Promise<Prediction> {
  const { writes, clock } = simulation;
  const { snapshot, issue } = parseSnapshot(simulation.snapshot);
  if (issue) return createUnknown(simulation.snapshot, issue);
  return closeAfter(await openMemoryStore(), async (store) => {
    const credentials = await ensureLocalCredentials(store);
    const { apiKey } = credentials;
    const [problem] = await importState(
      { store, apiKey, now: clock.now(), dryRun: false },
      snapshot,
    );
    if (problem) return createUnknown(snapshot, problem);
    const before = await exportState(store, apiKey);
    const service = createService({ store, clock });
    const client = createSimulationClient(simulation, service, credentials);
    const refusals: string[] = [];
    for (const write of writes) refusals.push(...(await simulateWrite(client, write)));
    await service.whenIdle();
    const state = await exportState(store, apiKey);
    return { effects: [...refusals, ...describeEffects({ before, after: state, writes })], state };
  });
}

function parseSnapshot(
  live: State,
): { snapshot: State; issue?: never } | { snapshot?: never; issue: InputProblem } {
  const { data, error } = stateSchema.safeParse(live);
  if (data) return { snapshot: data };
  const known = structuredClone(live);
  for (const issue of error.issues) {
    if (issue.code !== 'unrecognized_keys') {
      const { path } = issue;
      return { issue: { path, message: explainIssue(issue, valueAt(live, path)) } };
    }
    for (const key of issue.keys) Reflect.deleteProperty(Object(valueAt(known, issue.path)), key);
  }
  return { snapshot: stateSchema.parse(known) };
}

function createUnknown(state: State, { path, message }: InputProblem): Prediction {
  return { effects: [`the plan cannot be simulated: ${formatFieldPath(path)}: ${message}`], state };
}

function createSimulationClient(
  { clock, signal }: Simulation,
  { post }: ReturnType<typeof createService>,
  { apiKey, authToken }: LocalCredentials,
): Client {
  return createClient({
    clock,
    target: {
      baseUrl: 'http://localhost',
      headerPrefix: DEFAULT_HEADER_PREFIX,
      key: { apiKey, authToken },
    },
    transport: createDirectTransport(post, TIME_LIMIT),
    maxWait: 0,
    ...(signal && { signal }),
  });
}

/** Performs a write. @returns the reasons why records are refused, as sentences */
async function simulateWrite(
  client: Client,
  { operation: name, shared, items }: PlannedWrite,
): Promise<readonly string[]> {
  const operation = await loadOperation(getEntry(name).resource, name);
  const field = operation.bulk?.field;
  const refusals: string[] = [];
  for (const batch of chunk(items, field === undefined ? 1 : BATCH_SIZE)) {
    const records = batch.map(withPlaceholders);
    const input = { ...shared, ...(field === undefined ? records[0] : { [field]: records }) };
    try {
      const outcome = await client.send(operation, input);
      if (outcome.sent && field !== undefined) refusals.push(...describeRefusals(outcome.data));
    } catch (error) {
      if (!(error instanceof SvcError) || error.failure === 'interrupted') throw error;
      refusals.push(`${name} would be rejected: ${error.message}`);
    }
  }
  return refusals;
}

function describeRefusals(results: unknown): readonly string[] {
  return Object.entries(Object(results)).flatMap(([id, result]) => {
    const { success, message } = Object(result);
    return success === true ? [] : [`${id} would be rejected: ${message}`];
  });
}

function chunk<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}
