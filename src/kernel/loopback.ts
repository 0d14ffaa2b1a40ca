/** Whether a URL names this host, whatever interface or name server it has. */
export function isLoopback({ hostname }: Pick<URL, 'hostname'>): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** Whether only this machine can reach an IP address. */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
}

/** A name or an address, and a port. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i;

/** The name or address in a Host header, in lower case, or nothing if the header is not valid. */
export function hostnameIn(host: string): string | undefined {
  return HOST.exec(host)?.[1]?.toLowerCase();
}

/** The headers by which a browser says where a request goes and which page makes it. */
export interface SiteHeaders {
  readonly hosts: readonly string[];
  readonly origin: string | undefined;
}

/**
 * The header that gives away a request of another site's page. A browser reaches a server of this machine also under a
 * name of that site, which a name server of its own points here (DNS rebinding).
 * @param allowed further host names that stand for this machine
 */
export function foreignHeader(
  { hosts, origin }: SiteHeaders,
  allowed: readonly string[] = [],
): 'host' | 'origin' | undefined {
  const isOwn = (hostname: string | undefined) =>
    hostname !== undefined && (isLoopback({ hostname }) || allowed.includes(hostname));
  if (!hosts.every((host) => isOwn(hostnameIn(host)))) return 'host';
  return origin === undefined || isOwn(URL.parse(origin)?.hostname) ? undefined : 'origin';
}
