import { expect, it } from 'vitest';
import { findForeignHeader } from '../../src/kernel/loopback.ts';

it.each([
  [['localhost'], undefined, undefined],
  [['LOCALHOST:7400'], undefined, undefined],
  [['app.localhost:1'], 'http://localhost:3000', undefined],
  [['127.0.0.1'], 'https://127.9.9.9', undefined],
  [['[::1]:80'], 'http://[::1]', undefined],
  [['tunnel.example'], 'https://tunnel.example', undefined],
  [[], undefined, undefined],
  [['evil.example'], undefined, 'host'],
  [['evil.example'], 'http://localhost', 'host'],
  [['localhost', 'evil.example'], undefined, 'host'],
  [['evil.example/.localhost'], undefined, 'host'],
  [['evil.example#@localhost'], undefined, 'host'],
  [['localhost.evil.example'], undefined, 'host'],
  [['10.0.0.1'], undefined, 'host'],
  [[''], undefined, 'host'],
  [['localhost'], 'null', 'origin'],
  [['localhost'], '', 'origin'],
  [['localhost'], 'http://evil.example', 'origin'],
  [['localhost'], 'http://localhost.evil.example:80', 'origin'],
  [['localhost'], 'http://localhost, http://evil.example', 'origin'],
  [['localhost'], 'file://', 'origin'],
] as const)('hosts %j and origin %j: %s', (hosts, origin, expected) => {
  expect(findForeignHeader({ hosts, origin }, ['tunnel.example'])).toBe(expected);
});
