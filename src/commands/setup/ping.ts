import { createDeliveryHeaders, createDeliveryId } from '../../webhooks/delivery.ts';
import { isSuccessStatus } from '../../webhooks/listener.ts';
import { type PostResult, sendPost } from '../../webhooks/post.ts';
import { createSigningSecret } from '../../webhooks/signature.ts';
import type { Context } from '../context.ts';
import { createPostOptions } from '../deliveries/targets.ts';
import { confirmOptional, printLines } from './messages.ts';

/** Offers to send a test request to a URL and prints the response. @returns false if the user wants another URL */
export async function offerPing(context: Context, url: URL): Promise<boolean> {
  if (!(await confirmOptional(context, 'Send a test request to this URL?'))) return true;
  const id = createDeliveryId();
  const body = JSON.stringify({ event: 'ping', webhookId: id, data: {} });
  const timestamp = Math.floor(context.clock.now() / 1000);
  // The signature uses a random secret, so a receiver that verifies signatures rejects the request.
  const headers = createDeliveryHeaders({ form: 'advanced', id, timestamp, secret: createSigningSecret() }, body);
  await printLines(context, [WAITING_MESSAGE]);
  const receipt = await sendPost({ url, headers, body }, await createPostOptions(context));
  await printLines(context, [`  ${describeResult(receipt)}`]);
  if (isSuccessStatus(receipt) || isRejection(receipt)) return true;
  return (await context.prompter()).confirm('Keep this URL?', true);
}

/** Message before a request, because a slow receiver may take until the timeout. */
export const WAITING_MESSAGE = '  waiting for a response…';

const REJECTION_STATUSES: readonly (number | null)[] = [400, 401, 403];

function isRejection({ status }: PostResult): boolean {
  return REJECTION_STATUSES.includes(status);
}

function describeResult(receipt: PostResult): string {
  if (receipt.status === null) return `no response: ${receipt.error}`;
  const { status, milliseconds } = receipt;
  const answered = `HTTP ${status} after ${milliseconds} ms`;
  if (isSuccessStatus(receipt)) return `${answered}: accepted, but the signature was not verified`;
  if (isRejection(receipt)) return `${answered}: rejected the invalid signature, as expected`;
  if (status < 400) return `${answered}: redirects are not followed; use the URL that it redirects to`;
  if (status === 404) return `${answered}: check the path`;
  return `${answered}: a delivery would fail`;
}
