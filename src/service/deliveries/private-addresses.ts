import ipaddr from 'ipaddr.js';

/**
 * Private networks that the library takes for public ones: IPv4-compatible, local NAT64, and
 * site-local addresses.
 */
const OTHER_NETWORKS = ['::/96', '64:ff9b:1::/48', 'fec0::/10'].map((network) =>
  ipaddr.parseCIDR(network),
);

/** Indexes of the 16-bit groups that contain an embedded IPv4 address: NAT64 and 6to4. */
const EMBEDDINGS: Readonly<Record<string, readonly [number, number]>> = {
  rfc6052: [6, 7],
  '6to4': [1, 2],
};

/**
 * Whether an IP address belongs to this machine or a private network. Supports IPv4 addresses
 * embedded in IPv6.
 */
export function isPrivateAddress(address: string): boolean {
  const parsed = ipaddr.process(address.split('%', 1).join());
  const range = parsed.range();
  const embedding = EMBEDDINGS[range];
  if (parsed instanceof ipaddr.IPv6 && embedding) {
    const bytes = embedding.flatMap((group) => [
      (parsed.parts[group] ?? 0) >> 8,
      (parsed.parts[group] ?? 0) & 0xff,
    ]);
    return isPrivateAddress(bytes.join('.'));
  }
  return (
    range !== 'unicast' ||
    (parsed.kind() === 'ipv6' && OTHER_NETWORKS.some((network) => parsed.match(network)))
  );
}
