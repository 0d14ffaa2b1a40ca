import { deliveryHeaders, newDeliveryId } from '../../webhooks/delivery.ts';
import { isSuccess } from '../../webhooks/listener.ts';
import { post, type Receipt } from '../../webhooks/post.ts';
import { newSigningSecret } from '../../webhooks/signature.ts';
import type { Context } from '../context.ts';
import { postOptions } from '../deliveries/target.ts';
import { offers, tell } from './talk.ts';

/** Offers a test request to a URL, and says what came back. False: the user wants another URL. */
export async function tryOut(context: Context, url: URL): Promise<boolean> {
  if (!(await offers(context, 'Send a test request there now?'))) return true;
  const id = newDeliveryId();
  const body = JSON.stringify({ event: 'ping', webhookId: id, data: {} });
  const timestamp = Math.floor(context.clock.now() / 1000);
  // Signed with a secret that nobody has: a receiver that verifies refuses it, and shows so that it does.
  const headers = deliveryHeaders({ form: 'advanced', id, timestamp, secret: newSigningSecret() }, body);
  await tell(context, [WAITING]);
  const receipt = await post({ url, headers, body }, await postOptions(context));
  await tell(context, [`  ${outcome(receipt)}`]);
  if (isSuccess(receipt) || isRefusal(receipt)) return true;
  return (await context.asker()).yes('Keep this URL?', true);
}

/** Said before a request, which a receiver may leave without an answer for as long as senders wait. */
export const WAITING = '  waiting for an answer…';

const REFUSALS: readonly (number | null)[] = [400, 401, 403];

function isRefusal({ status }: Receipt): boolean {
  return REFUSALS.includes(status);
}

function outcome(receipt: Receipt): string {
  if (receipt.status === null) return `no answer: ${receipt.error}`;
  const { status, milliseconds } = receipt;
  const answered = `it answered ${status} after ${milliseconds} ms`;
  if (isSuccess(receipt)) return `${answered}: it takes deliveries, and did not verify this one's signature`;
  if (isRefusal(receipt)) return `${answered}: it refuses what it cannot verify, as it should`;
  if (status < 400) return `${answered}: deliveries follow no redirects, so give the address that it leads to`;
  if (status === 404) return `${answered}: is the path right?`;
  return `${answered}: a delivery would count as failed`;
}
