import { exactJsonOrText } from '../../kernel/exact-json.ts';
import { redactText } from '../../kernel/redact.ts';
import { jsonDocument } from '../../output/json.ts';
import type { Outgoing } from '../../webhooks/post.ts';
import type { Context } from '../context.ts';

/** The request as JSON, in the form of every other dry run. */
export async function printPlan({ io }: Context, { url, headers, body }: Outgoing, secrets: readonly string[]) {
  const known = secrets.filter((secret) => secret !== '');
  const shown = headers.map(([name, value]) => [name, redactText(value, known)]);
  const text = body.toString();
  const plan = { method: 'POST', url: url.href, headers: Object.fromEntries(shown), body: exactJsonOrText(text) };
  await io.stdout.write(jsonDocument(plan, io.stdout.isTerminal));
}
