import { loadResource } from '../../catalog/index.ts';
import type { Client } from '../../client/client.ts';
import { SvcError } from '../../kernel/errors.ts';
import { hint, step } from '../../kernel/hint.ts';
import { mintId } from '../call/operation.ts';
import { dataOf } from '../call/reply-data.ts';
import { checkInput } from '../call/validation.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { hintedCommand } from '../hinted-command.ts';
import { showCreated } from './created.ts';
import type { Data } from './data.ts';
import { askForEndpoint } from './endpoint-questions.ts';
import { type ServiceState, serviceState } from './service-state.ts';
import { commandOf, givenData, SAMPLE_URL, type Subject, subjectOf } from './subject.ts';
import { tell, twoColumns } from './talk.ts';

/** Makes an endpoint in a dialogue. Everything is asked before anything is written. */
export async function setUpEndpoint(context: Context, invocation: Invocation): Promise<void> {
  const subject = await subjectOf('webhooks.endpoints.create');
  const given = await givenData(context, subject, invocation);
  checkInput(subject.entry, subject.operation, { url: SAMPLE_URL, ...given }, 'usage', context.clock.now());
  const client = await context.client();
  const creation = await agreeOn(context, subject, { client, given, invocation }).catch((error: unknown) => {
    // A test request may have gone out, so it can't be said that nothing was sent.
    const isStopped = error instanceof SvcError && error.failure === 'interrupted';
    throw isStopped ? new SvcError('interrupted', 'stopped; no endpoint was made', { cause: error }) : error;
  });
  await create(context, client, creation);
}

interface Start {
  readonly client: Client;
  readonly given: Data;
  readonly invocation: Invocation;
}

/** Asks for what is missing, shows what would be done, and gives it once the user agrees. */
async function agreeOn(context: Context, subject: Subject, { client, given, invocation }: Start): Promise<Creation> {
  const { entry, operation } = subject;
  const service = await serviceState(context, client);
  if (!service.isEnabled) await context.confirm('Advanced webhooks are off. Switch them on when the endpoint is made?');
  const asked = await askForEndpoint(context, subject, given);
  const data: Record<string, unknown> = { ...asked };
  await mintId(operation, data);
  checkInput(entry, operation, data, 'usage', context.clock.now());
  for (const warning of operation.warnings?.(data) ?? []) await context.warn(warning);
  const command = commandOf(context, entry, asked, invocation);
  await showPlan(context, subject, { data, isEnabled: service.isEnabled, command });
  if (!context.options.dryRun) await context.confirm('Create this endpoint?');
  return { service, data };
}

interface Plan {
  readonly data: Data;
  readonly isEnabled: boolean;
  readonly command: string;
}

async function showPlan(context: Context, { entry }: Subject, { data, isEnabled, command }: Plan): Promise<void> {
  const text = (field: string, otherwise: string) => [data[field] ?? otherwise].flat().join(', ');
  const metadata = Object.entries(Object(data['metadata'])).map(([key, value]) => `${key}=${value}`);
  const enabling = isEnabled
    ? []
    : [`  ${hintedCommand(context.options, 'webhooks', 'advanced', 'update', '--enable')}`];
  await tell(context, [
    '',
    'The endpoint',
    ...twoColumns([
      ['url', text('url', '')],
      ['events', text('filterTypes', 'all')],
      ['channels', text('channels', 'all')],
      ['rate limit', data['rateLimit'] === undefined ? 'none' : `${data['rateLimit']} a second`],
      ['description', text('description', 'none')],
      ['uid', text('uid', '')],
      ['metadata', metadata.join(', ') || 'none'],
      ...(data['disabled'] === true ? [['disabled', 'it receives nothing yet'] as const] : []),
    ]),
    '',
    'The request',
    `  POST ${entry.path}`,
    ...JSON.stringify({ data }, null, 2)
      .split('\n')
      .map((line) => `  ${line}`),
    '',
    'The same without questions',
    ...enabling,
    `  ${command}`,
    '',
  ]);
}

interface Creation {
  readonly service: ServiceState;
  readonly data: Data;
}

async function create(context: Context, client: Client, { service, data }: Creation): Promise<void> {
  const [config, endpoints] = [await loadResource('webhook-config'), await loadResource('webhook-endpoints')];
  if (!service.isEnabled) await client.call(config['webhooks.advanced.update'], { isEnabled: true });
  const operation = endpoints['webhooks.endpoints.create'];
  const reply = await client.call(operation, operation.input.parse(data)).catch(async (error: unknown) => {
    if (!service.isEnabled) {
      await context.warn(
        `advanced webhooks are on now: ${hintedCommand(context.options, 'webhooks', 'advanced', 'update', '--disable')} switches them off`,
      );
    }
    throw error;
  });
  if (!reply.sent) return;
  const { data: endpoint } = reply;
  if (endpoint?.id === undefined) {
    return context.warn(
      `the response has no ID of the new endpoint: ${hintedCommand(context.options, 'webhooks', 'endpoints', 'list')} shows it`,
    );
  }
  try {
    const secret = await client.call(endpoints['webhooks.endpoints.secret'], { endpointId: endpoint.id });
    await showCreated(context, { endpoint, secret: dataOf(secret).secret, service });
  } catch (error) {
    throw error instanceof SvcError ? afterwards(error, endpoint.id) : error;
  }
}

/** What went wrong, or was stopped, once the endpoint was there. */
function afterwards(error: SvcError, id: string): SvcError {
  const what = error.failure === 'interrupted' ? 'stopped' : error.message;
  return error.told({
    message: `${what}; the endpoint ${id} is there`,
    hint: hint`${step('change', 'webhooks', 'endpoints', 'delete', id)} takes it away`,
  });
}
