import { loadResource } from '../../catalog/index.ts';
import type { Client } from '../../client/client.ts';
import { SvcError } from '../../kernel/errors.ts';
import { hint, step } from '../../kernel/hint.ts';
import { requireData } from '../call/require-data.ts';
import { addGeneratedId } from '../call/run-call.ts';
import { checkInput } from '../call/validation.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { commandForService } from '../service-flags.ts';
import { type AdvancedWebhookSettings, readAdvancedSettings } from './advanced-settings.ts';
import { showCreatedEndpoint } from './created-endpoint.ts';
import type { Data } from './data.ts';
import { askForEndpoint } from './endpoint-questions.ts';
import { formatColumns, printLines } from './messages.ts';
import {
  formatEquivalentCommand,
  loadSetupOperation,
  readFlagData,
  SAMPLE_URL,
  type SetupOperation,
} from './setup-operation.ts';

/** Creates an endpoint interactively. All prompts come before the first write. */
export async function setUpEndpoint(context: Context, invocation: Invocation): Promise<void> {
  const subject = await loadSetupOperation('webhooks.endpoints.create');
  const given = await readFlagData(context, subject, invocation);
  checkInput(subject.entry, subject.operation, { url: SAMPLE_URL, ...given }, 'usage', context.clock.now());
  const client = await context.client();
  const creation = await planEndpoint(context, subject, { client, given, invocation }).catch((error: unknown) => {
    // A test request may have been sent, so the message must not claim that nothing was sent.
    const isStopped = error instanceof SvcError && error.failure === 'interrupted';
    throw isStopped ? new SvcError('interrupted', 'canceled; no endpoint was created', { cause: error }) : error;
  });
  await create(context, client, creation);
}

interface EndpointSetup {
  readonly client: Client;
  readonly given: Data;
  readonly invocation: Invocation;
}

/** Prompts for missing values, shows the plan, and returns it after confirmation. */
async function planEndpoint(
  context: Context,
  subject: SetupOperation,
  { client, given, invocation }: EndpointSetup,
): Promise<EndpointCreation> {
  const { entry, operation } = subject;
  const service = await readAdvancedSettings(context, client);
  if (!service.isEnabled)
    await context.confirm('Advanced webhooks are disabled. Enable them when creating the endpoint?');
  const asked = await askForEndpoint(context, subject, given);
  const data: Record<string, unknown> = { ...asked };
  await addGeneratedId(operation, data);
  checkInput(entry, operation, data, 'usage', context.clock.now());
  for (const warning of operation.warnings?.(data) ?? []) await context.warn(warning);
  const command = formatEquivalentCommand(context, entry, asked, invocation);
  await showPlan(context, subject, { data, isEnabled: service.isEnabled, command });
  if (!context.options.dryRun) await context.confirm('Create this endpoint?');
  return { service, data };
}

interface EndpointPlan {
  readonly data: Data;
  readonly isEnabled: boolean;
  readonly command: string;
}

async function showPlan(
  context: Context,
  { entry }: SetupOperation,
  { data, isEnabled, command }: EndpointPlan,
): Promise<void> {
  const text = (field: string, otherwise: string) => [data[field] ?? otherwise].flat().join(', ');
  const metadata = Object.entries(Object(data['metadata'])).map(([key, value]) => `${key}=${value}`);
  const enabling = isEnabled
    ? []
    : [`  ${commandForService(context.options, 'webhooks', 'advanced', 'update', '--enable')}`];
  await printLines(context, [
    '',
    'Endpoint',
    ...formatColumns([
      ['url', text('url', '')],
      ['events', text('filterTypes', 'all')],
      ['channels', text('channels', 'all')],
      ['rate limit', data['rateLimit'] === undefined ? 'none' : `${data['rateLimit']} per second`],
      ['description', text('description', 'none')],
      ['uid', text('uid', '')],
      ['metadata', metadata.join(', ') || 'none'],
      ...(data['disabled'] === true ? [['disabled', 'yes'] as const] : []),
    ]),
    '',
    'Request',
    `  POST ${entry.path}`,
    ...JSON.stringify({ data }, null, 2)
      .split('\n')
      .map((line) => `  ${line}`),
    '',
    'Equivalent command',
    ...enabling,
    `  ${command}`,
    '',
  ]);
}

interface EndpointCreation {
  readonly service: AdvancedWebhookSettings;
  readonly data: Data;
}

async function create(context: Context, client: Client, { service, data }: EndpointCreation): Promise<void> {
  const [config, endpoints] = [await loadResource('webhook-config'), await loadResource('webhook-endpoints')];
  if (!service.isEnabled) await client.call(config['webhooks.advanced.update'], { isEnabled: true });
  const operation = endpoints['webhooks.endpoints.create'];
  const reply = await client.call(operation, operation.input.parse(data)).catch(async (error: unknown) => {
    if (!service.isEnabled) {
      await context.warn(
        `enabled advanced webhooks; to disable them again: ${commandForService(context.options, 'webhooks', 'advanced', 'update', '--disable')}`,
      );
    }
    throw error;
  });
  if (!reply.sent) return;
  const { data: endpoint } = reply;
  if (endpoint?.id === undefined) {
    return context.warn(
      `the response contains no endpoint ID; to find the endpoint: ${commandForService(context.options, 'webhooks', 'endpoints', 'list')}`,
    );
  }
  try {
    const secret = await client.call(endpoints['webhooks.endpoints.secret'], { endpointId: endpoint.id });
    await showCreatedEndpoint(context, { endpoint, secret: requireData(secret).secret, service });
  } catch (error) {
    throw error instanceof SvcError ? withCreatedEndpoint(error, endpoint.id) : error;
  }
}

/** Adds to an error that the endpoint was created before. */
function withCreatedEndpoint(error: SvcError, id: string): SvcError {
  const what = error.failure === 'interrupted' ? 'canceled' : error.message;
  return error.reworded({
    message: `${what}; the endpoint ${id} was created`,
    hint: hint`${step('change', 'webhooks', 'endpoints', 'delete', id)} deletes it`,
  });
}
