import { SvcError } from '../kernel/errors.ts';
import type { Environment } from '../kernel/folders.ts';
import { isLoopback } from '../kernel/loopback.ts';

/**
 * The proxy for requests. `address` may contain a password; show only `host` and `variable` to
 * users.
 */
export interface NetworkProxy {
  readonly address: URL;
  readonly host: string;
  readonly variable: string;
}

const PROTOCOLS = new Map(
  Object.entries({
    'http:': 'http:',
    'https:': 'https:',
    'socks5:': 'socks5:',
    'socks5h:': 'socks5:',
  }),
);

/**
 * Finds the proxy for a URL in the environment: `HTTPS_PROXY` or `HTTP_PROXY` by scheme, otherwise
 * `ALL_PROXY`; lower-case names take precedence. Returns `undefined` for hosts in `NO_PROXY`.
 * Loopback addresses never use a proxy: plain HTTP is allowed for them because the credentials stay
 * on this machine.
 * @throws SvcError `usage` if the address is invalid. The message does not contain the address.
 */
export function findProxy(url: URL, environment: Environment): NetworkProxy | undefined {
  const scheme = url.protocol.slice(0, -1);
  const variable = [
    `${scheme}_proxy`,
    `${scheme}_PROXY`.toUpperCase(),
    'all_proxy',
    'ALL_PROXY',
  ].find((name) => environment[name]);
  if (variable === undefined || isLoopback(url)) return undefined;
  if (isExempt(url, environment['no_proxy'] || environment['NO_PROXY'] || '')) return undefined;
  const address = parseProxyAddress(environment[variable] ?? '');
  if (!address) {
    throw new SvcError('usage', `${variable} is not a valid proxy address`, {
      hint: 'use an address like http://proxy.example.com:3128, or unset the variable',
    });
  }
  return { address, host: address.host, variable };
}

function parseProxyAddress(text: string): URL | undefined {
  const url = URL.parse(/^[a-z][\w+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  const protocol = PROTOCOLS.get(url?.protocol ?? '');
  if (!url?.hostname || protocol === undefined) return undefined;
  // The `protocol` setter does not allow this change of scheme.
  return new URL(url.href.replace(url.protocol, protocol));
}

/**
 * Whether a `NO_PROXY` list exempts a URL. Entries are separated by commas or spaces: domains,
 * which include their subdomains; IP addresses; or `*` for all hosts. An entry may end in `:port`.
 */
function isExempt(url: URL, list: string): boolean {
  const host = normalizeHost(url.hostname);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  for (const entry of list.toLowerCase().split(/[\s,]+/)) {
    const { name = '', only } =
      /^(?<name>\[.*\]|[^:]*|.*:.*:.*?)(?::(?<only>\d+))?$/.exec(entry)?.groups ?? {};
    if (only !== undefined && only !== port) continue;
    const domain = normalizeHost(name.replace(/^\*?\./, ''));
    if (domain === '*' || (domain !== '' && (host === domain || host.endsWith(`.${domain}`))))
      return true;
  }
  return false;
}

function normalizeHost(name: string): string {
  return name.replace(/^\[(.*)\]$/, '$1').replace(/(?<=.)\.$/, '');
}
