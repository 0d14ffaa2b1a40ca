import { SvcError } from '../../kernel/errors.ts';
import { RECEIVER_TIME } from '../../webhooks/form.ts';
import type { PostOptions } from '../../webhooks/post.ts';
import type { Route } from '../../webhooks/routes.ts';
import { readCertificates } from '../call/ca-file.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { textValue, textValues } from '../option-values.ts';

/** The address that a flag names. @throws SvcError `usage` when no delivery can be sent there */
export function targetUrl(text: string, flag: string): URL {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new SvcError('usage', `${flag}: '${text}' is no http(s) URL`, {
      hint: 'write it like http://127.0.0.1:3000/hook',
    });
  }
  if (url.username || url.password) {
    throw new SvcError('usage', `${flag}: the URL holds a user name or password`, {
      hint: 'other users of this machine could read it from the command line',
    });
  }
  return url;
}

/** How deliveries are sent: with the time that senders give a receiver, unless `--timeout` is shorter. */
export async function postOptions({ options, cwd, signal }: Context): Promise<PostOptions> {
  const { timeout, caFile } = options;
  const authorities = caFile === undefined ? undefined : await readCertificates(caFile, cwd);
  return { timeout: Math.min(timeout, RECEIVER_TIME), authorities, signal };
}

/** Where deliveries are to go: `--forward-to` and each `--route`. */
export function targets(options: Invocation['options']) {
  const forwardTo = textValue(options, 'forwardTo');
  return {
    routes: textValues(options, 'route').map(routeOf),
    otherwise: forwardTo === undefined ? undefined : targetUrl(forwardTo, '--forward-to'),
  };
}

function routeOf(text: string): Route {
  const hint = "write it like 'comment.*=http://127.0.0.1:3000/comments'";
  const [, pattern, url] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (pattern === undefined || url === undefined) {
    throw new SvcError('usage', `--route: '${text}' is not pattern=url`, { hint });
  }
  if (!/^[\w.*-]+$/.test(pattern)) {
    throw new SvcError('usage', `--route: '${pattern}' is no pattern of event types`, { hint });
  }
  return { pattern, target: targetUrl(url, '--route') };
}
