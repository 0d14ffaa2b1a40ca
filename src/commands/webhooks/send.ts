import { hint, SvcError, step } from '../../kernel/errors.ts';
import { parsePublicKey } from '../../webhooks/keys.ts';
import { isSuccessStatus } from '../../webhooks/listener.ts';
import { sendPost } from '../../webhooks/post.ts';
import { checkEventTypes } from '../call/event-types.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { withSpinner } from '../terminal/spinner.ts';
import type { SendFlags } from './flags.ts';
import { readKey, readSenderCredentials } from './keys.ts';
import { createPayload, createSampleDelivery, type SampleDeliveryOptions } from './payload.ts';
import { createPostOptions, parseTargetUrl, printPlannedRequest } from './targets.ts';

export async function sendCommand(
  context: Context,
  invocation: Invocation<SendFlags>,
): Promise<void> {
  const [event = ''] = invocation.arguments;
  const { options } = invocation;
  const { url, viaService = false, channel } = options;
  if (!/^[\w.-]{1,256}$/.test(event)) {
    throw new SvcError(
      'usage',
      `invalid event type '${event}': only letters, digits, '.', '_', and '-' are allowed`,
      {
        hint: hint`to list the known event types, run ${step('inspect', 'webhooks', 'events')}`,
      },
    );
  }
  await checkEventTypes(context, [event], options);
  if (viaService === (url !== undefined)) {
    const flags = options.allowUnknownEvent ? ['--allow-unknown-event'] : [];
    const words = ['webhooks', 'send', event, ...flags];
    throw new SvcError('usage', 'exactly one of --url and --via-service is required', {
      hint: hint`${step('inspect', ...words, '--url', 'http://127.0.0.1:3000/hook')}`,
    });
  }
  if (url === undefined)
    return (await import('./send-via-service.ts')).sendViaService(context, event, invocation);
  if (channel !== undefined) throw new SvcError('usage', '--channel requires --via-service');
  await sendTo(
    context,
    parseTargetUrl(url, '--url'),
    event,
    await readDeliveryOptions(context, options),
  );
}

async function readDeliveryOptions(
  context: Context,
  options: SendFlags,
): Promise<SampleDeliveryOptions> {
  return {
    ...(await readSenderCredentials(options, context.signal)),
    packing: {
      encode: options.encode === true,
      encryptFor: await readKey(context, options.encryptFor, parsePublicKey),
    },
    payload: (sample) => createPayload(context, options, sample),
  };
}

async function sendTo(
  context: Context,
  url: URL,
  event: string,
  deliveryOptions: SampleDeliveryOptions,
): Promise<void> {
  const { clock, options } = context;
  const { form } = deliveryOptions;
  const { id, outgoing } = await createSampleDelivery(url, event, deliveryOptions, clock.now());
  if (options.dryRun) return printPlannedRequest(context, outgoing, deliveryOptions.authToken);
  if (deliveryOptions.secret === undefined && deliveryOptions.authToken === undefined) {
    const flag = form === 'advanced' ? '--secret-file' : '--auth-token-file';
    await context.note(
      `the delivery is not authenticated; receivers that verify deliveries reject it unless you add ${flag}`,
    );
  }
  const postOptions = await createPostOptions(context);
  const receipt = await withSpinner(context, `webhooks send: waiting for ${url.host}`, () =>
    sendPost(outgoing, postOptions),
  );
  if (receipt.status === null)
    throw new SvcError('unreachable', `${url.href}: ${receipt.error}`, {
      hint: 'check that the receiver is running',
    });
  const { status, body: answer, milliseconds } = receipt;
  const printer = await context.printer();
  await printer.value({ id, event, form, url: url.href, status, milliseconds, answer }, {});
  if (isSuccessStatus(receipt)) return;
  throw new SvcError(
    'invalid_response',
    `the receiver did not accept the delivery: HTTP ${status}`,
    {
      hint:
        status >= 300 && status < 400
          ? 'svc does not follow redirects; use the final URL'
          : 'the service retries deliveries until the receiver responds with 2xx',
    },
  );
}
