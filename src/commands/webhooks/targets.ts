import { SvcError } from '../../kernel/errors.ts';
import { parseExactJsonOrText } from '../../kernel/exact-json.ts';
import { completeLoopbackUrl } from '../../kernel/loopback.ts';
import { redactText } from '../../kernel/redact.ts';
import { formatJsonDocument } from '../../output/json.ts';
import { RECEIVER_TIMEOUT } from '../../webhooks/form.ts';
import type { OutgoingRequest, PostOptions } from '../../webhooks/post.ts';
import type { ForwardingRoute } from '../../webhooks/routes.ts';
import { readCertificates } from '../connection/ca-file.ts';
import type { Context } from '../context.ts';
import type { ForwardingFlags } from './flags.ts';

/**
 * Parses the URL of a flag. The scheme is optional for this machine.
 * @throws SvcError `usage` for an invalid URL
 */
export function parseTargetUrl(text: string, flag: string): URL {
  const url = URL.parse(completeLoopbackUrl(text));
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new SvcError('usage', `${flag} must be an http or https URL, got '${text}'`, {
      hint: 'example: http://127.0.0.1:3000/hook',
    });
  }
  const problem = findCredentialProblem(url);
  if (problem !== undefined)
    throw new SvcError('usage', `${flag} ${problem}`, {
      hint: 'other users of this machine can see the command line',
    });
  return url;
}

/** Rejects a user name or password in the URL, because URLs are printed. */
export function findCredentialProblem(url: URL): string | undefined {
  return url.username || url.password ? 'must not contain a user name or password' : undefined;
}

/**
 * Creates the options for sending deliveries. The time limit is that of the service, unless
 * `--timeout` is shorter.
 */
export async function createPostOptions(context: Context): Promise<PostOptions> {
  const { signal } = context;
  const { timeout, caFile } = context.options;
  const authorities = caFile === undefined ? undefined : await readCertificates(caFile, context);
  return { timeout: Math.min(timeout, RECEIVER_TIMEOUT), authorities, signal };
}

export function parseTargets(options: ForwardingFlags) {
  const forwardTo = options.forwardTo;
  return {
    routes: (options.route ?? []).map(parseRoute),
    defaultTarget: forwardTo === undefined ? undefined : parseTargetUrl(forwardTo, '--forward-to'),
  };
}

function parseRoute(text: string): ForwardingRoute {
  const hint = "example: --route 'comment.*=http://127.0.0.1:3000/comments'";
  const [, pattern, url] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (pattern === undefined || url === undefined)
    throw new SvcError('usage', `--route must be pattern=url, got '${text}'`, { hint });
  if (!/^[\w.*-]+$/.test(pattern))
    throw new SvcError(
      'usage',
      `--route must start with a pattern of event types, got '${pattern}'`,
      { hint },
    );
  return { pattern, target: parseTargetUrl(url, '--route') };
}

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
