import { describe, expect, it } from 'vitest';
import { manifest } from '../../../src/catalog/manifest.ts';
import { convertEpochs } from '../../../src/commands/call/input-data.ts';

const flags = manifest.find(({ name }) => name === 'access-tokens.generate')?.flags ?? [];

describe('times in a document', () => {
  it('that can only be milliseconds are converted to seconds, with a warning each', () => {
    const data = {
      userId: 'u1',
      permissions: {
        resources: [
          { type: 'organization', id: 'a', expiresAt: 1_900_000_000_000 },
          { type: 'organization', id: 'b', expiresAt: 1_900_000_000 },
          { type: 'organization', id: 'c' },
        ],
      },
    };
    expect(convertEpochs(flags, data)).toEqual([
      'expiresAt: 1900000000000 is in milliseconds; sent as 1900000000 seconds',
    ]);
    expect(data.permissions.resources.map(({ expiresAt }) => expiresAt)).toEqual([
      1_900_000_000,
      1_900_000_000,
      undefined,
    ]);
  });

  it.each([
    {},
    { permissions: null },
    { permissions: { resources: 'all' } },
    { permissions: { resources: [null, 7] } },
  ])('are unchanged in data of another shape: %j', (data) => {
    const before = structuredClone(data);
    expect(convertEpochs(flags, data)).toEqual([]);
    expect(data).toEqual(before);
  });
});
