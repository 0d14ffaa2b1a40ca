import { SvcError } from '../kernel/errors.ts';
import type { Environment } from '../kernel/folders.ts';
import { isLoopback } from '../kernel/loopback.ts';

/** The proxy that requests go through. Its address may hold a password: only `host` and `variable` are for people. */
export interface NetworkProxy {
  readonly address: URL;
  readonly host: string;
  /** The environment variable that names it. */
  readonly variable: string;
}

const PROTOCOLS = new Map([
  ['http:', 'http:'],
  ['https:', 'https:'],
  ['socks5:', 'socks5:'],
  ['socks5h:', 'socks5:'],
]);

/**
 * The proxy that the environment names for a URL: `HTTPS_PROXY` or `HTTP_PROXY` by its scheme, else `ALL_PROXY`, each in
 * lower case first, and none for what `NO_PROXY` exempts. This host itself is never reached through one: plain http to
 * it is allowed because the credentials stay here.
 * @throws SvcError `usage` for an address that is none, without repeating it
 */
export async function proxyFor(url: URL, environment: Environment): Promise<NetworkProxy | undefined> {
  const scheme = url.protocol.slice(0, -1);
  const variable = [`${scheme}_proxy`, `${scheme}_PROXY`.toUpperCase(), 'all_proxy', 'ALL_PROXY'].find(
    (name) => environment[name],
  );
  if (variable === undefined || isLoopback(url)) return undefined;
  if (await isExempt(url, environment['no_proxy'] || environment['NO_PROXY'] || '')) return undefined;
  const address = proxyAddress(environment[variable] ?? '');
  if (!address) {
    throw new SvcError('usage', `${variable}: this is no address of a proxy`, {
      hint: 'write it like http://proxy.example.com:3128, or unset it',
    });
  }
  return { address, host: address.host, variable };
}

/** Without a scheme it is plain http, as for curl. */
function proxyAddress(text: string): URL | undefined {
  const url = URL.parse(/^[a-z][\w+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  const protocol = PROTOCOLS.get(url?.protocol ?? '');
  if (!url?.hostname || protocol === undefined) return undefined;
  // The scheme of a URL cannot be set to one of another kind.
  return new URL(url.href.replace(url.protocol, protocol));
}

/**
 * `NO_PROXY` is a list with commas or blanks between: names, which stand for what is below them as well, addresses,
 * networks such as `10.0.0.0/8`, each with `:port` where only that is meant, or `*` for everything.
 */
async function isExempt(url: URL, list: string): Promise<boolean> {
  const host = bareHost(url.hostname);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  for (const entry of list.toLowerCase().split(/[\s,]+/)) {
    if (entry.includes('/') && (await isInNetwork(host, entry))) return true;
    const { name = '', only } = /^(?<name>\[.*\]|[^:]*|.*:.*:.*?)(?::(?<only>\d+))?$/.exec(entry)?.groups ?? {};
    if (only !== undefined && only !== port) continue;
    const domain = bareHost(name.replace(/^\*?\./, ''));
    if (domain === '*' || (domain !== '' && (host === domain || host.endsWith(`.${domain}`)))) return true;
  }
  return false;
}

function bareHost(name: string): string {
  return name.replace(/^\[(.*)\]$/, '$1').replace(/(?<=.)\.$/, '');
}

async function isInNetwork(host: string, network: string): Promise<boolean> {
  const { BlockList, isIP } = await import('node:net');
  const [address = '', length = ''] = network.split('/');
  const family = (ip: string) => (isIP(ip) === 6 ? 'ipv6' : 'ipv4');
  if (!isIP(host) || !isIP(address) || !/^\d{1,3}$/.test(length)) return false;
  if (Number(length) > (family(address) === 'ipv6' ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(length), family(address));
  return list.check(host, family(host));
}
