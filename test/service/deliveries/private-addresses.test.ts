import { isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLoopbackAddress } from '../../../src/kernel/loopback.ts';
import { isPrivateAddress } from '../../../src/service/deliveries/private-addresses.ts';
import { repeats } from '../../repeats.ts';

const hex = (a: number, b: number) => (a * 256 + b).toString(16);

/** The ways to embed an IPv4 address in an IPv6 address. */
const FORMS = [
  (a: number, b: number, c: number, d: number) => `::ffff:${a}.${b}.${c}.${d}`,
  (a: number, b: number, c: number, d: number) => `::ffff:${hex(a, b)}:${hex(c, d)}`,
  (a: number, b: number, c: number, d: number) => `64:ff9b::${hex(a, b)}:${hex(c, d)}`,
  (a: number, b: number, c: number, d: number) => `2002:${hex(a, b)}:${hex(c, d)}::`,
  (a: number, b: number, c: number, d: number) => `2002:${hex(a, b)}:${hex(c, d)}::1234:1`,
];

describe('private addresses', () => {
  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '0.0.0.0',
    '169.254.169.254',
    '100.64.0.1',
    '100.127.255.255',
    '255.255.255.255',
    '224.0.0.1',
    '198.18.0.1',
    '::',
    '::1',
    '::7f00:1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fdff::1',
    'ff02::1',
    '2001:0:1::1',
    '64:ff9b:1::1',
    '::ffff:0:7f00:1',
    'fec0::1',
    '2001:db8::1',
    '100::1',
  ])('include %s', (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '100.128.0.0',
    '8.8.8.8',
    '2606:4700::1111',
    '2a00::1',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
    '::ffff:8.8.8.8',
  ])('do not include %s', (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });

  it('are detected in IPv6 as in IPv4', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(byte, byte, byte, byte, fc.constantFrom(...FORMS), (a, b, c, d, form) => {
        expect(isIPv6(form(a, b, c, d))).toBe(true);
        expect(isPrivateAddress(form(a, b, c, d))).toBe(isPrivateAddress(`${a}.${b}.${c}.${d}`));
      }),
      { numRuns: repeats(250) },
    );
  });

  it.each([
    ['127.0.0.1', true],
    ['127.3.2.1', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['0.0.0.0', false],
    ['::', false],
    ['192.168.0.1', false],
  ])('%s is only reachable from this machine: %s', (address, expected) => {
    expect(isLoopbackAddress(address)).toBe(expected);
  });
});
