import { isSuccessStatus } from '../../webhooks/listener.ts';
import { sendPost } from '../../webhooks/post.ts';
import type { Context } from '../context.ts';
import { createSampleDelivery } from '../deliveries/sample-delivery.ts';
import { postOptions } from '../deliveries/targets.ts';
import { commandForService } from '../service-flags.ts';
import type { AdvancedWebhookSettings } from './advanced-settings.ts';
import { confirmOptional, printLines } from './messages.ts';
import { WAITING_MESSAGE } from './ping.ts';
import { NODE_VERIFICATION, PYTHON_VERIFICATION } from './verification-code.ts';

/** Event type of the test delivery to an endpoint that receives all events. */
const SAMPLE_EVENT = 'comment.add';

interface CreatedEndpoint {
  readonly endpoint: {
    readonly id: string;
    readonly url: string;
    readonly filterTypes?: readonly string[] | null | undefined;
  };
  readonly secret: string;
  readonly service: AdvancedWebhookSettings;
}

/** Prints a new endpoint with its secret and verification code, and offers to send a test delivery. */
export async function showCreatedEndpoint(context: Context, created: CreatedEndpoint): Promise<void> {
  const { endpoint, secret } = created;
  const printer = await context.printer();
  await printer.value({ ...endpoint, secret }, {});
  await printLines(context, [
    '',
    'Store the secret where your receiver can read it. To print it again:',
    `  ${commandForService(context.options, 'webhooks', 'endpoints', 'secret', endpoint.id, '-q')}`,
    '',
    'Verify deliveries in Node.js:',
    '',
    ...NODE_VERIFICATION.split('\n'),
    '',
    'In Python:',
    '',
    ...PYTHON_VERIFICATION.split('\n'),
    '',
  ]);
  while (await confirmOptional(context, 'Send a test event signed with this secret?')) {
    if (await sendTest(context, created)) return;
  }
}

/** Sends a test delivery from this machine, encoded as the service would. @returns whether the receiver accepted it */
async function sendTest(context: Context, { endpoint, secret, service }: CreatedEndpoint): Promise<boolean> {
  const { encodeData, encryptFor } = service;
  const event = endpoint.filterTypes?.[0] ?? SAMPLE_EVENT;
  const sending = {
    form: 'advanced',
    secret,
    authToken: undefined,
    packing: { encode: encodeData, encryptFor },
    payload: async (sample: unknown) => sample,
  } as const;
  const { outgoing } = await createSampleDelivery(new URL(endpoint.url), event, sending, context.clock.now());
  await printLines(context, [WAITING_MESSAGE]);
  const receipt = await sendPost(outgoing, await postOptions(context));
  const outcome = receipt.status === null ? `no response: ${receipt.error}` : `HTTP ${receipt.status}`;
  await printLines(context, [`  ${event}: ${outcome}${isSuccessStatus(receipt) ? ', accepted' : ''}`]);
  return isSuccessStatus(receipt);
}
