import { describe, expect, it } from 'vitest';
import { adminEntries } from '../../src/catalog/local/entries.ts';
import { loadAdminOperations } from '../../src/catalog/local/index.ts';
import { manifest } from '../../src/catalog/manifest.ts';

describe('operations of the admin API', () => {
  it('are not operations of the public API, which OpenAPI, MCP, and contracts list', () => {
    const names: readonly string[] = manifest.map(({ name }) => name);
    expect(adminEntries.filter(({ name }) => names.includes(name))).toEqual([]);
    expect(manifest.filter(({ path }) => path.includes('_svc'))).toEqual([]);
  });

  it('require the admin token, and differ in a field of the body if they share a path', async () => {
    for (const { name, subject } of adminEntries)
      expect(Object.entries(await loadAdminOperations(subject))).toContainEqual([
        name,
        expect.objectContaining({ auth: 'admin' }),
      ]);
    const ways = adminEntries.map(
      ({ path, effect, selectedBy = effect }) => `${path} ${selectedBy}`,
    );
    expect(new Set(ways).size).toBe(ways.length);
  });
});
