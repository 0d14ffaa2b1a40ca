import { SvcError } from '../kernel/errors.ts';
import { isLoopback } from '../kernel/loopback.ts';

/** Where the two halves of a credential were found, in words: `SVC_API_KEY`, `profile 'prod'`. */
interface Source {
  readonly id: string;
  readonly token: string;
}

/** Whom to call and as whom. Header names carry `headerPrefix`. */
export interface Target {
  /** Origin and optional path, without a trailing slash. */
  readonly baseUrl: string;
  readonly headerPrefix: string;
  readonly key?: { readonly apiKey: string; readonly authToken: string };
  readonly workspace?: { readonly workspaceId: string; readonly workspaceAuthToken: string };
  /** For the error of a credential that is refused. */
  readonly sources?: { readonly key?: Source; readonly workspace?: Source };
  /** Why a credential that could be expected here is missing, for the error that it is. */
  readonly withheld?: string;
}

/**
 * The base URL as operations' paths are put behind it.
 * @throws SvcError `usage` when it is no http(s) URL, holds more than an origin and a path, or would send credentials
 * in the clear to another host.
 */
export function checkedBaseUrl(text: string, insecureHttp: boolean): string {
  const fault = baseUrlFault(text);
  if (fault) {
    throw new SvcError('usage', `the base URL is not usable: ${fault}`, {
      hint: 'write it like https://api.example.com',
    });
  }
  const url = new URL(text);
  if (url.protocol === 'http:' && !insecureHttp && !isLoopback(url)) {
    throw new SvcError('usage', `plain http to ${url.host} would send the credentials in the clear`, {
      hint: 'use an https:// URL, or --insecure-http on a network you trust',
    });
  }
  return url.href.replace(/\/+$/, '');
}

/** What makes a text unfit as a base URL, in words that don't repeat it; `undefined` when it is fit. */
export function baseUrlFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url) return 'it is no URL';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'it starts with neither https:// nor http://';
  if (url.username || url.password) return 'it holds a user name or password';
  if (url.search || url.hash) return 'it holds a query or a fragment';
  return undefined;
}

/** What makes a text unfit as the start of header names; `undefined` when it is fit. */
export function headerPrefixFault(text: string): string | undefined {
  return /^[a-z0-9-]+$/i.test(text) ? undefined : 'a header prefix takes letters, digits and hyphens';
}
