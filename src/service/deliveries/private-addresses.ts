import { BlockList, isIP } from 'node:net';

/** Networks that are not publicly reachable, according to RFC 6890 and later registrations. */
const PRIVATE_V4 = [
  '0.0.0.0/8', // this host
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, and cloud metadata services
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16',
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved and broadcast
] as const;

const PRIVATE_V6 = [
  '::/96', // unspecified, loopback, and IPv4-compatible (deprecated)
  '::ffff:0:0:0/96', // IPv4-translated
  '64:ff9b:1::/48', // local NAT64
  '100::/64', // discard-only
  '2001::/32', // Teredo
  '2001:db8::/32', // documentation
  'fc00::/7', // unique local
  'fe80::/10', // link-local
  'fec0::/10', // site-local
  'ff00::/8', // multicast
] as const;

/** IPv6 prefixes with an embedded IPv4 address (6to4 and NAT64), and their lengths in bits. */
const EMBEDDINGS = [
  { bits: 16, embed: (high: string, low: string) => `2002:${high}:${low}::` },
  { bits: 96, embed: (high: string, low: string) => `64:ff9b::${high}:${low}` },
] as const;

const blocked = createBlockList();

/** Whether an IP address belongs to this machine or a private network. Supports IPv4 addresses embedded in IPv6. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.split('%', 1).join();
  return blocked.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

function createBlockList(): BlockList {
  const list = new BlockList();
  for (const network of PRIVATE_V4) {
    const [address = '', bits = 0] = parseNetwork(network);
    // This rule also covers IPv4-mapped IPv6 addresses.
    list.addSubnet(address, bits, 'ipv4');
    const [high, low] = hexGroups(address);
    for (const embedding of EMBEDDINGS) list.addSubnet(embedding.embed(high, low), embedding.bits + bits, 'ipv6');
  }
  for (const network of PRIVATE_V6) list.addSubnet(...parseNetwork(network), 'ipv6');
  return list;
}

function parseNetwork(network: string): [address: string, bits: number] {
  const [address = '', bits] = network.split('/');
  return [address, Number(bits)];
}

function hexGroups(address: string): [high: string, low: string] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}
