import { DEFAULT_HEADER_PREFIX } from '../../src/catalog/headers.ts';
import { loadOperation } from '../../src/catalog/index.ts';
import { getEntry } from '../../src/catalog/manifest.ts';
import { type CalledOperation, type Client, createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/fetch-transport.ts';
import { withValue } from '../../src/kernel/field-path.ts';
import type { ServiceOptions } from '../../src/service/app.ts';
import { queryDeclared } from '../../src/settings/live/declared-query.ts';
import { readLive } from '../../src/settings/live/read-live.ts';
import type { LiveQuery } from '../../src/settings/live-records.ts';
import { buildPlan, type PlanInput } from '../../src/settings/plan/build-plan.ts';
import type { Plan, PlannedWrite } from '../../src/settings/plan.ts';
import { SecretValue } from '../../src/settings/secret-value.ts';
import type { Declared } from '../../src/settings/settings.ts';
import { startTestService, type TestService } from '../service/test-service.ts';

const SECRETS = new Map([
  ['TOKEN', 'first-secret-token'],
  ['OTHER', 'other-secret-token'],
]);

export function secret(name: string): SecretValue {
  return new SecretValue({ env: name }, SECRETS.get(name) ?? '');
}

/** An embedded service that plans are built for and applied to. */
export interface PlannedWorld {
  readonly service: TestService;
  readonly client: Client;
  /** Operations that the client called. */
  readonly calls: string[];
  plan(declared: Declared, options?: Partial<PlanInput>): Promise<Plan>;
  /** Sends the writes of a plan in order. @throws the first failure */
  apply(plan: Plan): Promise<void>;
}

export async function startPlannedWorld(options: ServiceOptions = {}): Promise<PlannedWorld> {
  const service = await startTestService(options);
  const { apiKey, authToken, workspaceId, workspaceAuthToken } = service.credentials;
  const calls: string[] = [];
  const client = createClient({
    clock: service.clock,
    target: {
      baseUrl: 'http://localhost',
      headerPrefix: DEFAULT_HEADER_PREFIX,
      key: { apiKey, authToken },
      workspace: { workspaceId, workspaceAuthToken },
    },
    transport: createFetchTransport(async (input, init) => {
      calls.push(new URL(input instanceof Request ? input.url : String(input)).pathname);
      return service.fetch(input, init);
    }, 10_000),
    maxWait: 0,
  });
  return {
    service,
    client,
    calls,
    plan: async (declared, rest) => planWith(client, declared, rest),
    apply: async ({ writes }) => {
      for (const write of writes) await send(client, write);
    },
  };
}

async function planWith(
  client: Client,
  declared: Declared,
  rest: Partial<PlanInput> = {},
): Promise<Plan> {
  const query: LiveQuery = queryDeclared(declared);
  const live = await readLive(client, query);
  return buildPlan({ declared, live, query, target: TARGET, isSent: () => false, ...rest });
}

const TARGET = { url: 'http://localhost', apiKey: 'key' };

async function send(
  client: Client,
  { operation: name, shared, items }: PlannedWrite,
): Promise<void> {
  const operation: CalledOperation & Awaited<ReturnType<typeof loadOperation>> =
    await loadOperation(getEntry(name).resource, name);
  const { field, bareIds, id } = operation.bulk ?? {};
  const inputs = items.map(({ data }) => resolveSecrets(data));
  if (field !== undefined) {
    const records = bareIds && id ? inputs.map((input) => input[id]) : inputs;
    const outcome = await client.send(operation, { ...shared, [field]: records });
    const results = Object.values(Object(outcome.sent && outcome.data)) as {
      success: boolean;
      message: string;
    }[];
    const failure = results.find(({ success }) => !success);
    if (failure && !/already exists/.test(failure.message))
      throw new Error(`${name}: ${failure.message}`);
  } else {
    for (const input of inputs) await client.send(operation, { ...shared, ...input });
  }
}

function resolveSecrets(
  data: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  let resolved = data;
  const visit = (value: unknown, path: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('$secret' in value) {
      const { $secret: reference } = value as { $secret: { env: string } | 'live' };
      const text = reference === 'live' ? undefined : SECRETS.get(reference.env);
      resolved = withValue(resolved, path, text);
    } else for (const [name, inner] of Object.entries(value)) visit(inner, [...path, name]);
  };
  visit(data, []);
  return resolved;
}
