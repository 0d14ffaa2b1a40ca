import { commandArguments } from '../../catalog/command-text.ts';
import { loadResource } from '../../catalog/index.ts';
import { getEntry } from '../../catalog/manifest.ts';
import type { Client } from '../../client/client.ts';
import { requireData } from '../../client/response-data.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { commandForService } from '../service-flags.ts';
import { askEventTypes } from './endpoint-questions.ts';
import {
  confirmByDefault,
  createNotConfirmedError,
  formatColumns,
  printLines,
  wrapForMessages,
} from './setup-messages.ts';
import type { EndpointSubject, ExistingEndpoint } from './setup-operation.ts';

/** An endpoint whose events are to be changed. */
export interface EndpointChange {
  readonly subject: EndpointSubject;
  readonly endpoint: ExistingEndpoint;
}

const UPDATE = getEntry('webhooks.endpoints.update');

/**
 * Prompts for the events of an endpoint, and updates it after confirmation.
 * @throws SvcError `failed_precondition` if the user selects all events, which an update cannot set
 */
export async function changeEvents(
  context: Context,
  client: Client,
  { subject, endpoint }: EndpointChange,
): Promise<void> {
  const { id, filterTypes: current } = endpoint;
  const chosen = await askEventTypes(context, subject, current ?? []);
  const [before, after] = [current ?? [], chosen ?? []].map((events) => events.toSorted().join());
  if (before === after) return context.note(`${id} is unchanged`);
  if (!chosen)
    throw new SvcError('failed_precondition', `the event filter of ${id} cannot be removed`, {
      hint: hint`add another endpoint for all events, then run ${step('change', 'webhooks', 'endpoints', 'delete', id)}`,
    });
  const input = { endpointId: id, filterTypes: [...chosen] };
  const command = commandForService(context.options, ...commandArguments(UPDATE, input));
  await printLines(context, [
    '',
    `Endpoint ${id}`,
    ...formatColumns([
      ['events', current?.join(', ') || 'all'],
      ['new events', chosen.join(', ')],
    ]),
    '',
    'Equivalent command',
    ...(await wrapForMessages(context, command)),
    '',
  ]);
  if (!(await confirmByDefault(context, `Change ${id}?`))) throw createNotConfirmedError();
  const { 'webhooks.endpoints.update': update } = await loadResource('webhook-endpoints');
  const reply = await client.call(update, input);
  if (reply.sent) await (await context.printer()).value(requireData(reply), {});
}
