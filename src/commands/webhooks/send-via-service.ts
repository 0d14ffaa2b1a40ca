import { randomBytes } from 'node:crypto';
import { SvcError } from '../../kernel/errors.ts';
import { hint, step } from '../../kernel/hint.ts';
import { amount } from '../../kernel/plural.ts';
import { deliverPending } from '../../service/deliveries/one-shot.ts';
import { enqueueEvent } from '../../service/deliveries/outbox.ts';
import type { DeliveryDetail } from '../../service/deliveries/records.ts';
import { advancedPayload, eventFromPayload, type HookEvent } from '../../webhooks/event.ts';
import { sampleEvent } from '../../webhooks/sample.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { asTable } from '../embedded/delivery-drawing.ts';
import { withStore } from '../embedded/store.ts';
import { textValues } from '../option-values.ts';
import { showDocument } from '../terminal/document.ts';
import { givenPayload } from './given-payload.ts';

/** Flags about what the service decides by its configuration. */
const DECIDED_THERE = { form: 'form', secretFile: 'secret-file', authTokenFile: 'auth-token-file' } as const;
const PACKED_THERE = { encode: 'encode', encryptFor: 'encrypt-for' } as const;

/** Has the embedded service deliver an event to whoever wants it, and prints how the first attempts went. */
export async function sendViaService(context: Context, event: string, { options }: Invocation): Promise<void> {
  if (!context.options.local) {
    throw new SvcError('usage', '--via-service is of the embedded service only', {
      hint: hint`${step('configure', 'webhooks', 'send', event, '--via-service', '--local')}`,
    });
  }
  for (const [name, flag] of Object.entries({ ...DECIDED_THERE, ...PACKED_THERE })) {
    if (options[name] === undefined) continue;
    throw new SvcError('usage', `--${flag} does not go with --via-service: the service delivers as it is configured`);
  }
  const channels = textValues(options, 'channel');
  const sent = await withStore(context, 'write', async (store, apiKey) => {
    const hookEvent = await eventOf(context, options, { event, apiKey });
    if (context.options.dryRun) return showPlan(context, hookEvent, channels);
    const { clock, signal } = context;
    const ids = await enqueueEvent({ store, now: clock.now(), channels }, hookEvent);
    return deliverPending(store, { apiKey, clock, signal, privateTargets: true }, ids);
  });
  if (sent) await showDeliveries(context, event, sent);
}

async function eventOf(
  context: Context,
  options: Invocation['options'],
  { event, apiKey }: Pick<HookEvent, 'event' | 'apiKey'>,
): Promise<HookEvent> {
  const webhookId = randomBytes(16).toString('hex');
  const sample = sampleEvent(event, { apiKey, webhookId, now: context.clock.now() });
  const payload = await givenPayload(context, options, JSON.parse(JSON.stringify(advancedPayload(sample))));
  return eventFromPayload(payload, { event, apiKey, webhookId });
}

async function showPlan(context: Context, event: HookEvent, channels: readonly string[]): Promise<undefined> {
  await showDocument(context, { event: event.event, channels, payload: advancedPayload(event) });
  await context.note('nothing was sent: --dry-run');
}

async function showDeliveries(context: Context, event: string, sent: readonly DeliveryDetail[]): Promise<void> {
  if (sent.length === 0) {
    throw new SvcError('failed_precondition', `nobody is told of ${event}: no endpoint and no basic webhook wants it`, {
      hint: hint`${step('change', 'webhooks', 'listen')} makes an endpoint; ${step('list', 'webhooks', 'endpoints', 'list')} shows those there are`,
    });
  }
  const printer = await context.printer();
  const records = sent.map(({ record }) => record);
  await printer.value(records, asTable(sent));
  const failed = records.filter(({ state }) => state !== 'delivered').length;
  if (failed === 0) return;
  throw new SvcError(
    failed === sent.length ? 'unusable_answer' : 'some_failed',
    `not delivered: ${failed} of ${amount(sent.length, 'delivery')}`,
    {
      hint: hint`${step('list', 'local', 'deliveries', 'list')} shows why; ${step('resume', 'serve')} tries again what is pending`,
    },
  );
}
