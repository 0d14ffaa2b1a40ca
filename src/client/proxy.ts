import { BlockList, isIP } from 'node:net';
import { SvcError } from '../kernel/errors.ts';
import type { Environment } from '../kernel/folders.ts';
import { isLoopback } from '../kernel/loopback.ts';

/** The proxy for requests. Show only `host` and `variable` to users. */
export interface NetworkProxy {
  readonly protocol: 'http:' | 'https:' | 'socks5:';
  /** Host name or address, without the brackets of IPv6. */
  readonly hostname: string;
  readonly port: number;
  /** `hostname:port`, with the brackets of IPv6. */
  readonly host: string;
  readonly credentials?: { readonly user: string; readonly password: string };
  readonly variable: string;
}

const DEFAULT_PORTS = { 'http:': 80, 'https:': 443, 'socks5:': 1080 };
const PROTOCOLS = new Map<string, NetworkProxy['protocol']>(
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
  return parseProxyAddress(environment[variable] ?? '', variable);
}

/** The `Proxy-Authorization` header for the credentials in the address. */
export function authorizationOf({ credentials }: NetworkProxy): string | undefined {
  if (!credentials) return undefined;
  const text = `${credentials.user}:${credentials.password}`;
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

const ENCODING_HINT =
  'in the user name and password, write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23, % as %25, and a space as %20';
const EXAMPLE_HINT = 'use an address like http://proxy.example.com:3128, or unset the variable';

function parseProxyAddress(text: string, variable: string): NetworkProxy {
  const refuse = (problem: string, hint: string): never => {
    throw new SvcError('usage', `${variable} is not a valid proxy address: ${problem}`, { hint });
  };
  const trimmed = text.trim();
  const [, scheme = 'http', rest = ''] = /^(?:([a-z][\w+.-]*):\/\/)?(.*)$/is.exec(trimmed) ?? [];
  if (/^["'“‘]|["'”’]$/.test(trimmed))
    return refuse('it is in quotation marks', 'remove the quotation marks from the value');
  const protocol = PROTOCOLS.get(`${scheme.toLowerCase()}:`);
  if (!protocol) return refuse('its scheme is not http, https, or socks5', EXAMPLE_HINT);
  const [afterHost = ''] = /[/?#].*$/s.exec(rest) ?? [];
  if (afterHost.includes('@')) return refuse('a character must be encoded', ENCODING_HINT);
  if (/\s/.test(rest))
    return rest.includes('@')
      ? refuse('a character must be encoded', ENCODING_HINT)
      : refuse('it contains a space', EXAMPLE_HINT);
  if (afterHost !== '' && afterHost !== '/')
    return refuse(
      'it contains more than a scheme, user, host, and port',
      'use the address of the proxy itself, like http://proxy.example.com:3128; svc does not read proxy auto-configuration (PAC) files',
    );
  // Schemes other than those of the web have no default port, which would be omitted.
  const url = URL.parse(`proxy://${rest}`);
  const host = url && URL.parse(`http://${url.hostname}`)?.hostname;
  const port = url?.port ? Number(url.port) : DEFAULT_PORTS[protocol];
  if (!url || !host || !/^(?:\[.*\]|[\w.-]+)$/.test(host) || port === 0) {
    return rest.includes('@')
      ? refuse('a character must be encoded, or the host is missing', ENCODING_HINT)
      : refuse('it has no valid host and port', EXAMPLE_HINT);
  }
  const [user, password] = [decode(url.username), decode(url.password)];
  if (user === undefined || password === undefined)
    return refuse('a character must be encoded', ENCODING_HINT);
  if (protocol === 'socks5:' && [user, password].some((text) => Buffer.byteLength(text) > 255))
    return refuse(
      'its user name or password is longer than 255 bytes',
      'SOCKS 5 does not allow longer ones; check the address of the proxy',
    );
  return {
    protocol,
    hostname: host.replace(/^\[(.*)\]$/, '$1'),
    port,
    host: `${host}:${port}`,
    ...((user !== '' || password !== '') && { credentials: { user, password } }),
    variable,
  };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Whether a `NO_PROXY` list exempts a URL. Entries are separated by commas or spaces: domains,
 * which include their subdomains; IP addresses; ranges such as `10.0.0.0/8` or `10.*`; or `*` for
 * all hosts. An entry may end in `:port`.
 */
function isExempt(url: URL, list: string): boolean {
  const host = normalizeHost(url.hostname);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const { name = '', only } =
        /^(?<name>\[.*\](?:\/\d+)?|[^:]*|.*:.*:.*?)(?::(?<only>\d+))?$/.exec(entry)?.groups ?? {};
      if (only !== undefined && only !== port) return false;
      return name === '*' || (isIP(host) ? isInRange(host, name) : isInDomain(host, name));
    });
}

function isInDomain(host: string, name: string): boolean {
  const domain = normalizeHost(name.replace(/^\*?\./, ''));
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}

/**
 * @param range an address; an address and the number of its significant bits, such as `10.0.0.0/8`;
 * or the start of an IPv4 address, such as `10.*`
 */
function isInRange(address: string, range: string): boolean {
  if (/^(?:\d+\.){1,3}\*$/.test(range)) return address.startsWith(range.slice(0, -1));
  const { network = '', bits } =
    /^\[?(?<network>[^\]/]*)\]?(?:\/(?<bits>\d+))?$/.exec(range)?.groups ?? {};
  const family = isIP(network);
  const addressBits = family === 4 ? 32 : 128;
  const prefix = Number(bits ?? addressBits);
  if (family === 0 || isIP(address) !== family || prefix > addressBits) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const block = new BlockList();
  block.addSubnet(network, prefix, type);
  return block.check(address, type);
}

function normalizeHost(name: string): string {
  return name.replace(/^\[(.*)\]$/, '$1').replace(/(?<=.)\.$/, '');
}
