import { SvcError } from '../kernel/errors.ts';
import { isLoopback } from '../kernel/loopback.ts';

/** The sources of a credential's ID and token, for messages: `SVC_API_KEY`, `profile 'prod'`. */
interface CredentialSource {
  readonly id: string;
  readonly token: string;
  /** Profile whose token was replaced, and the time. */
  readonly replaced?: { readonly profile: string; readonly at: string };
}

export interface Target {
  readonly baseUrl: string;
  readonly headerPrefix: string;
  readonly key?: { readonly apiKey: string; readonly authToken: string };
  readonly workspace?: { readonly workspaceId: string; readonly workspaceAuthToken: string };
  readonly sources?: { readonly key?: CredentialSource; readonly workspace?: CredentialSource };
  readonly missingReason?: string;
  /** Profile that the target comes from. */
  readonly profile?: string;
  /** Why requests with the credentials of the workspace are refused. */
  readonly workspaceConflict?: SvcError;
}

/** Parses a base URL and strips trailing slashes. @throws SvcError `usage`, naming the source */
export function parseBaseUrl(text: string, source: string): string {
  const problem = findBaseUrlProblem(text);
  if (problem)
    throw new SvcError('usage', `${source}: ${problem}`, {
      hint: 'use a URL like https://api.example.com',
    });
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

/**
 * @throws SvcError `usage` unless the text is an http(s) origin and path; for plain HTTP, only of
 * this machine
 */
export function normalizeBaseUrl(text: string, insecureHttp: boolean): string {
  const baseUrl = parseBaseUrl(text, 'the base URL is invalid');
  const url = new URL(baseUrl);
  if (url.protocol === 'http:' && !insecureHttp && !isLoopback(url)) {
    throw new SvcError(
      'usage',
      `plain HTTP to ${url.host} would send the credentials in the clear`,
      {
        hint: 'use an https:// URL, or --insecure-http on a network you trust',
      },
    );
  }
  return baseUrl;
}

/**
 * Describes why a text is not a valid base URL, without repeating the text; `undefined` if it is
 * valid.
 */
function findBaseUrlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url) return 'it is not a URL';
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return 'it must start with https:// or http://';
  if (url.username || url.password) return 'it must not contain a user name or password';
  if (url.search || url.hash) return 'it must not contain a query or a fragment';
  return undefined;
}

export function findHeaderPrefixProblem(text: string): string | undefined {
  return /^[a-z0-9-]+$/i.test(text)
    ? undefined
    : 'a header prefix may contain only letters, digits, and hyphens';
}

/** Options that name files for the connection. */
const CONNECTION_FILES = ['caFile', 'clientCert', 'clientKey'] as const;

export type ConnectionFiles = { readonly [Name in (typeof CONNECTION_FILES)[number]]?: string };

/** Selects the options that name files for the connection. @param toPath converts each path */
export function selectConnectionFiles(
  options: ConnectionFiles,
  toPath = (path: string) => path,
): ConnectionFiles {
  const entries = CONNECTION_FILES.flatMap((name) => {
    const path = options[name];
    return path === undefined ? [] : [[name, toPath(path)]];
  });
  return Object.fromEntries(entries);
}
