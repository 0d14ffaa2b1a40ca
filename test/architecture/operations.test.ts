import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  collectEvidence,
  findGaps,
  formatOperationsTable,
  readServiceTests,
} from '../../docs/generate/generate.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import { HOME } from '../acceptance/svc.ts';

describe('the table of operations', () => {
  it('is complete and up to date', async () => {
    const all = await collectEvidence(readServiceTests());
    expect(findGaps(all)).toEqual([]);
    expect(await readFile(join(HOME, 'docs', 'operations.md'), 'utf8')).toBe(
      formatOperationsTable(all),
    );
  });

  it('has a row for each operation', async () => {
    const lines = formatOperationsTable(await collectEvidence(readServiceTests())).split('\n');
    const rows = lines.filter((line) => line.startsWith('| `'));
    expect(rows.map((row) => row.split('`')[1])).toEqual(manifest.map(({ name }) => name));
    expect(rows.find((row) => row.includes('`users.update.v2`'))).toMatch(
      /^\| `users.update.v2` \| `svc users update --api-version v2` \| `\/v2\/users\/update` \| key \| set \|$/,
    );
  });

  it('reports a missing handler or test', async () => {
    const tests = new Map([
      ['test/service/a.test.ts', "const USERS = '/v1/users';\nawait call(`${USERS}/add`, {});"],
    ]);
    const all = await collectEvidence(tests);
    const found = all.filter(({ test }) => test === 'test/service/a.test.ts');
    expect(found.map(({ entry }) => entry.name)).toEqual(['users.add']);
    const broken = all.map((one) => ({ ...one, hasHandler: one.entry.name !== 'users.add' }));
    expect(findGaps(broken)).toEqual(
      expect.arrayContaining([
        'users.add has no handler in the service',
        'users.data has no test that calls its path',
      ]),
    );
    expect(findGaps(broken)).not.toContain('users.add has no test that calls its path');
  });
});
