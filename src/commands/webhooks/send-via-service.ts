import { randomBytes } from 'node:crypto';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { formatTrace, traceHeadersOf } from '../../kernel/trace-parent.ts';
import { deliverPending } from '../../service/deliveries/one-shot.ts';
import { enqueueEvent } from '../../service/deliveries/outbox.ts';
import { type DeliveryDetail, describeDelivery } from '../../service/deliveries/records.ts';
import {
  createAdvancedPayload,
  parseAdvancedPayload,
  type WebhookEvent,
} from '../../webhooks/event.ts';
import { createSampleEvent } from '../../webhooks/sample.ts';
import { withStore } from '../connection/embedded-store.ts';
import { describeDeliverer } from '../connection/running-servers.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { getFlagValue } from '../options.ts';
import { deliveryTable } from '../terminal/delivery-views.ts';
import { printDocument } from '../terminal/print-document.ts';
import { withSpinner } from '../terminal/spinner.ts';
import type { SendFlags } from './flags.ts';
import { createPayload } from './payload.ts';

const REJECTED_FLAGS = ['form', 'secret-file', 'auth-token-file', 'encode', 'encrypt-for'];

export async function sendViaService(
  context: Context,
  event: string,
  { options }: Invocation<SendFlags>,
): Promise<void> {
  if (!context.options.local) {
    throw new SvcError('usage', '--via-service requires the embedded service (--local)', {
      hint: hint`${step('configure', 'webhooks', 'send', event, '--via-service', '--local')}`,
    });
  }
  const rejected = REJECTED_FLAGS.find((name) => getFlagValue(options, name) !== undefined);
  if (rejected) {
    const problem = 'cannot be combined with --via-service: the service uses its own configuration';
    throw new SvcError('usage', `--${rejected} ${problem}`);
  }
  const channels = options.channel ?? [];
  const waiting = `webhooks send: waiting for the receivers of ${event}`;
  const send = <Value>(work: () => Promise<Value>) => withSpinner(context, waiting, work);
  const sent = await withStore(context, 'write', async (store, apiKey, { time }) => {
    const hookEvent = await createEvent(context, options, { event, apiKey });
    if (context.options.dryRun) {
      await printDocument(context, { event, channels, payload: createAdvancedPayload(hookEvent) });
      return context.note('--dry-run: nothing was sent');
    }
    const { clock, signal, environment } = context;
    const trace = formatTrace(traceHeadersOf(environment));
    const ids = await enqueueEvent({ store, now: time.now(), channels, trace }, hookEvent);
    const delivery = { apiKey, clock, time, signal, allowPrivateTargets: true };
    return send(() => deliverPending(store, delivery, ids));
  });
  if (sent) await printDeliveries(context, event, sent);
}

async function createEvent(
  context: Context,
  options: SendFlags,
  { event, apiKey }: Pick<WebhookEvent, 'event' | 'apiKey'>,
) {
  const webhookId = randomBytes(16).toString('hex');
  const sample = createSampleEvent(event, { apiKey, webhookId, now: context.clock.now() });
  const payload = await createPayload(
    context,
    options,
    JSON.parse(JSON.stringify(createAdvancedPayload(sample))),
  );
  return parseAdvancedPayload(payload, { event, apiKey, webhookId });
}

async function printDeliveries(
  context: Context,
  event: string,
  details: readonly DeliveryDetail[],
): Promise<void> {
  const sent = details.map(describeDelivery);
  if (sent.length === 0) {
    throw new SvcError(
      'failed_precondition',
      `no endpoint or basic webhook is subscribed to ${event}`,
      {
        hint: hint`to create an endpoint, run ${step('change', 'webhooks', 'listen')}; to list the endpoints, run ${step('list', 'webhooks', 'endpoints', 'list')}`,
      },
    );
  }
  const printer = await context.printer();
  await printer.value(sent, deliveryTable(context, sent));
  const failed = sent.filter(({ state }) => state !== 'delivered').length;
  if (failed === 0) return;
  const retrying = await describeDeliverer(context, 'retry');
  const failure = failed === sent.length ? 'invalid_response' : 'records_failed';
  throw new SvcError(
    failure,
    `not delivered: ${failed} of ${formatNounCount(sent.length, 'delivery')}`,
    {
      hint: hint`to see why, run ${step('list', 'local', 'deliveries', 'list')}; ${retrying}`,
    },
  );
}
