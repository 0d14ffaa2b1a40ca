import { completeLoopbackUrl } from '../../kernel/loopback.ts';
import { createDeliveryHeaders, createDeliveryId } from '../../webhooks/delivery.ts';
import { isSuccessStatus } from '../../webhooks/listener.ts';
import { type PostResult, sendPost } from '../../webhooks/post.ts';
import { createSigningSecret } from '../../webhooks/signature.ts';
import type { Context } from '../context.ts';
import { confirmOptional, createNotConfirmedError, WAITING_MESSAGE } from './setup-messages.ts';
import {
  describeDuplicate,
  type EndpointSubject,
  type ExistingEndpoint,
  findDuplicates,
  findProblem,
} from './setup-operation.ts';
import { createPostOptions, findCredentialProblem } from './targets.ts';

interface UrlQuestion {
  readonly message: string;
  readonly subject: EndpointSubject;
  readonly current: unknown;
}

/**
 * Prompts for the URL of an endpoint, and offers to send a test request to it.
 * @returns an endpoint with the same URL if the user prefers to change that
 * @throws SvcError `usage` if the user cancels
 */
export async function askUrl(
  context: Context,
  { subject, message, current }: UrlQuestion,
): Promise<string | ExistingEndpoint> {
  const prompter = await context.prompter();
  let preset = current === undefined ? undefined : String(current);
  for (;;) {
    const url = await prompter.text({
      message,
      defaultValue: preset,
      complete: completeLoopbackUrl,
      validate: (answer) => findUrlProblem(subject, answer),
    });
    if (url === current) return url;
    const existing = await chooseDuplicate(context, subject, url);
    if (existing) return existing;
    if (await offerPing(context, new URL(url))) return url;
    preset = url;
  }
}

const ADD = 'Add another endpoint for this URL';
const CANCEL = 'Cancel';

/**
 * If endpoints have the URL, asks whether to change one of them or to add another.
 * @returns the endpoint to change
 * @throws SvcError `usage` if the user cancels
 */
export async function chooseDuplicate(
  context: Context,
  { existing }: Pick<EndpointSubject, 'existing'>,
  url: string,
): Promise<ExistingEndpoint | undefined> {
  const duplicates = findDuplicates(existing, url);
  if (duplicates.length === 0) return undefined;
  for (const duplicate of duplicates) await context.note(`  ${describeDuplicate(duplicate)}`);
  const changes = duplicates.map(({ id }) => `Change the events of ${id}`);
  const chosen = await (await context.prompter()).pick({
    message: 'An endpoint for this URL exists',
    choices: [...changes, ADD, CANCEL].map((value) => ({ value })),
  });
  if (chosen === CANCEL) throw createNotConfirmedError();
  return duplicates[changes.indexOf(chosen)];
}

function findUrlProblem(subject: EndpointSubject, answer: string): string | undefined {
  const problem = findProblem(subject, 'url', answer);
  if (problem === undefined) {
    const credentialProblem = findCredentialProblem(new URL(answer));
    return credentialProblem && `URL ${credentialProblem}`;
  }
  const secure = `https://${answer}`;
  const isOnlyScheme = !answer.includes(':') && answer.includes('.') && URL.canParse(secure);
  return isOnlyScheme ? `${problem}; did you mean ${secure}?` : problem;
}

async function offerPing(context: Context, url: URL): Promise<boolean> {
  if (!(await confirmOptional(context, 'Send a test request to this URL?'))) return true;
  const id = createDeliveryId();
  const body = JSON.stringify({ event: 'ping', webhookId: id, data: {} });
  const timestamp = Math.floor(context.clock.now() / 1000);
  // The signature uses a random secret, so a receiver that verifies signatures rejects the request.
  const headers = createDeliveryHeaders(
    { form: 'advanced', id, timestamp, secret: createSigningSecret() },
    body,
  );
  await context.note(WAITING_MESSAGE);
  const receipt = await sendPost({ url, headers, body }, await createPostOptions(context));
  await context.note(`  ${describeResult(receipt)}`);
  if (isSuccessStatus(receipt) || isRejection(receipt)) return true;
  return (await context.prompter()).confirm('Keep this URL?', true);
}

function isRejection({ status }: PostResult): boolean {
  return status === 400 || status === 401 || status === 403;
}

function describeResult(receipt: PostResult): string {
  if (receipt.status === null) return `no response: ${receipt.error}`;
  const { status, milliseconds } = receipt;
  const answered = `HTTP ${status} after ${milliseconds} ms`;
  if (isSuccessStatus(receipt)) return `${answered}: accepted, but the signature was not verified`;
  if (isRejection(receipt)) return `${answered}: rejected the invalid signature, as expected`;
  if (status < 400)
    return `${answered}: redirects are not followed; use the URL that it redirects to`;
  if (status === 404) return `${answered}: check the path`;
  return `${answered}: a delivery would fail`;
}
