import { SvcError } from '../../kernel/errors.ts';
import type { Route } from '../../webhooks/routes.ts';
import type { Invocation } from '../definition.ts';
import { splitPair } from '../key-value.ts';
import { textValue } from '../option-values.ts';
import { textValues } from './keys.ts';

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

/** Where deliveries are to go: `--forward-to` and each `--route`. */
export function targets(options: Invocation['options']) {
  const forwardTo = textValue(options, 'forwardTo');
  return {
    routes: textValues(options, 'route').map(routeOf),
    otherwise: forwardTo === undefined ? undefined : targetUrl(forwardTo, '--forward-to'),
  };
}

function routeOf(text: string): Route {
  const [pattern, url] = splitPair(text, 'route');
  if (!/^[\w.*-]+$/.test(pattern)) {
    throw new SvcError('usage', `--route: '${pattern}' is no pattern of event types`, {
      hint: "write it like 'comment.*=http://127.0.0.1:3000/comments'",
    });
  }
  return { pattern, target: targetUrl(url, '--route') };
}
