import { parseExactJsonOrText } from '../../kernel/exact-json.ts';
import { redactText } from '../../kernel/redact.ts';
import { formatJsonDocument } from '../../output/json.ts';
import type { OutgoingRequest } from '../../webhooks/post.ts';
import type { Context } from '../context.ts';

export async function printPlannedRequest(
  { io }: Context,
  request: OutgoingRequest,
  authToken = '',
) {
  const { url, headers, body } = request;
  const shown = headers.map(([name, value]) => [name, redactText(value, [authToken])]);
  const text = body.toString();
  const plan = {
    method: 'POST',
    url: url.href,
    headers: Object.fromEntries(shown),
    body: parseExactJsonOrText(text),
  };
  await io.stdout.write(formatJsonDocument(plan, io.stdout.isTerminal));
}
