import { isSuccess } from '../../webhooks/listener.ts';
import { post } from '../../webhooks/post.ts';
import type { Context } from '../context.ts';
import { sampleDelivery } from '../deliveries/sample.ts';
import { postOptions } from '../deliveries/target.ts';
import { hintedCommand } from '../hinted-command.ts';
import { WAITING } from './ping.ts';
import type { ServiceState } from './service-state.ts';
import { offers, tell } from './talk.ts';
import { NODE_VERIFICATION, PYTHON_VERIFICATION } from './verification-code.ts';

/** What is sent to an endpoint that receives all events. */
const SAMPLE_EVENT = 'comment.add';

interface Created {
  readonly endpoint: {
    readonly id: string;
    readonly url: string;
    readonly filterTypes?: readonly string[] | null | undefined;
  };
  readonly secret: string;
  readonly service: ServiceState;
}

/** Shows a new endpoint with its secret, says how deliveries are verified, and offers one to try it. */
export async function showCreated(context: Context, created: Created): Promise<void> {
  const { endpoint, secret } = created;
  const printer = await context.printer();
  await printer.value({ ...endpoint, secret }, {});
  await tell(context, [
    '',
    'Keep the secret where your receiver finds it. To print it again:',
    `  ${hintedCommand(context.options, 'webhooks', 'endpoints', 'secret', endpoint.id, '-q')}`,
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
  while (await offers(context, 'Send a test event to it now, signed with this secret?')) {
    if (await sendTest(context, created)) return;
  }
}

/** Whether the receiver took it. It goes from this machine, packed as the service packs deliveries. */
async function sendTest(context: Context, { endpoint, secret, service }: Created): Promise<boolean> {
  const { encodeData, encryptFor } = service;
  const event = endpoint.filterTypes?.[0] ?? SAMPLE_EVENT;
  const sending = {
    form: 'advanced',
    secret,
    authToken: undefined,
    packing: { encode: encodeData, encryptFor },
    payload: async (sample: unknown) => sample,
  } as const;
  const { outgoing } = await sampleDelivery(new URL(endpoint.url), event, sending, context.clock.now());
  await tell(context, [WAITING]);
  const receipt = await post(outgoing, await postOptions(context));
  const said = receipt.status === null ? `no answer: ${receipt.error}` : `it answered ${receipt.status}`;
  await tell(context, [`  ${event}: ${said}${isSuccess(receipt) ? ', so it took it' : ''}`]);
  return isSuccess(receipt);
}
