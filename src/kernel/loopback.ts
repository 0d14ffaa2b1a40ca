export function isLoopback({ hostname }: Pick<URL, 'hostname'>): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/**
 * Completes a URL of this machine that has no scheme: `localhost:3000/hook` becomes
 * `http://localhost:3000/hook`.
 */
export function completeLoopbackUrl(text: string): string {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?([/?#].*)?$/i.test(text)
    ? `http://${text}`
    : text;
}

export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
}

const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i;

/**
 * Parses the host name or address of a Host header, in lower case; undefined if the header is not
 * valid.
 */
export function parseHostname(host: string): string | undefined {
  return HOST.exec(host)?.[1]?.toLowerCase();
}

/**
 * Finds the header that shows that a page of another site made the request. Such a page can reach a
 * server on this machine through a host name of its own that resolves to a loopback address (DNS
 * rebinding).
 * @param allowed additional host names of this machine
 */
export function findForeignHeader(
  { hosts, origin }: { readonly hosts: readonly string[]; readonly origin: string | undefined },
  allowed: readonly string[] = [],
): 'host' | 'origin' | undefined {
  const isOwn = (hostname: string | undefined) =>
    hostname !== undefined && (isLoopback({ hostname }) || allowed.includes(hostname));
  if (!hosts.every((host) => isOwn(parseHostname(host)))) return 'host';
  return origin === undefined || isOwn(URL.parse(origin)?.hostname) ? undefined : 'origin';
}
