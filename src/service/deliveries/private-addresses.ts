import { BlockList, isIP } from 'node:net';

/** Networks that nobody outside of them has business in, RFC 6890 and what has come since. */
const PRIVATE_V4 = [
  '0.0.0.0/8', // this host
  '10.0.0.0/8',
  '100.64.0.0/10', // carriers' own
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, and the metadata services of clouds
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16',
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
] as const;

const PRIVATE_V6 = [
  '::/96', // unspecified, loopback, and IPv4 as it was once written
  '::ffff:0:0:0/96', // IPv4, translated
  '64:ff9b:1::/48', // translation of a network's own
  '100::/64', // discarded
  '2001::/32', // Teredo
  '2001:db8::/32', // documentation
  'fc00::/7', // unique local
  'fe80::/10', // link-local
  'fec0::/10', // site-local
  'ff00::/8', // multicast
] as const;

/** Prefixes behind which an IPv4 address stands in an IPv6 one, and their bits: 6to4 and NAT64. */
const CARRIERS = [
  { bits: 16, around: (high: string, low: string) => `2002:${high}:${low}::` },
  { bits: 96, around: (high: string, low: string) => `64:ff9b::${high}:${low}` },
] as const;

const blocked = blockList();

/** Whether an IP address leads to this machine or into a private network. IPv4 inside of IPv6 counts as what it is. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.split('%', 1).join();
  return blocked.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

function blockList(): BlockList {
  const list = new BlockList();
  for (const network of PRIVATE_V4) {
    const [address = '', bits = 0] = split(network);
    // Covers IPv4 that is mapped into IPv6 too.
    list.addSubnet(address, bits, 'ipv4');
    const [high, low] = halves(address);
    for (const carrier of CARRIERS) list.addSubnet(carrier.around(high, low), carrier.bits + bits, 'ipv6');
  }
  for (const network of PRIVATE_V6) list.addSubnet(...split(network), 'ipv6');
  return list;
}

function split(network: string): [address: string, bits: number] {
  const [address = '', bits] = network.split('/');
  return [address, Number(bits)];
}

/** The two groups of hexadecimal digits that an IPv4 address is in an IPv6 one. */
function halves(address: string): [high: string, low: string] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}
