import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Ledger, toSentRecord } from '../../src/settings/ledger.ts';
import { createUserFolders } from '../temporary-folder.ts';

const TARGET = { url: 'https://api.example.com', apiKey: 'key-1' };
const ADA = {
  identity: ['users.add', 'acme', 'ada'],
  data: { userId: 'ada', name: 'Ada', email: 'ada@example.com' },
};

async function createLedger() {
  const folders = await createUserFolders();
  const warnings: string[] = [];
  const open = async () => {
    const ledger = await Ledger.open(folders, async (text) => void warnings.push(text));
    onTestFinished(() => {
      try {
        ledger.close();
      } catch {
        // closed by the test
      }
    });
    return ledger;
  };
  return { open, warnings, path: join(folders.state, 'ledger.sqlite'), state: folders.state };
}

describe('Ledger', () => {
  it('knows the latest content that was sent, by target', async () => {
    const { open } = await createLedger();
    const ledger = await open();
    expect(ledger.knows(TARGET, ADA)).toBe(false);
    ledger.noteSent(TARGET, [ADA], 0);
    expect(ledger.knows(TARGET, ADA)).toBe(true);
    expect(ledger.knows({ ...TARGET, apiKey: 'key-2' }, ADA)).toBe(false);
    expect(ledger.knows({ ...TARGET, url: 'https://other.example.com' }, ADA)).toBe(false);
    const changed = { ...ADA, data: { ...ADA.data, name: 'Ada King' } };
    expect(ledger.knows(TARGET, changed)).toBe(false);
    ledger.noteSent(TARGET, [changed], 0);
    expect([ledger.knows(TARGET, changed), ledger.knows(TARGET, ADA)]).toEqual([true, false]);
  });

  it('ignores the order of fields', async () => {
    const { open } = await createLedger();
    const ledger = await open();
    ledger.noteSent(TARGET, [ADA], 0);
    const data = Object.fromEntries(Object.entries(ADA.data).toReversed());
    expect(ledger.knows({ apiKey: TARGET.apiKey, url: TARGET.url }, { ...ADA, data })).toBe(true);
  });

  it('keeps hashes only, in a file of its owner', async () => {
    const { open, path, state } = await createLedger();
    const ledger = await open();
    ledger.noteSent(TARGET, [ADA], 0);
    for (const name of await readdir(state)) {
      expect((await readFile(join(state, name))).toString('latin1')).not.toMatch(
        /ada@|example\.com|key-1/,
      );
    }
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const second = await open();
    expect(second.knows(TARGET, ADA)).toBe(true);
  });

  it('notes all records of a call or none, and stays usable', async () => {
    const { open } = await createLedger();
    const ledger = await open();
    // JSON has no text for a BigInt.
    const unnotable = { identity: ['users.add', 'acme', 'eve'], data: 1n };
    expect(() => ledger.noteSent(TARGET, [ADA, unnotable], 0)).toThrow(
      expect.objectContaining({
        failure: 'local',
        message: expect.stringMatching(/^cannot use the ledger: /),
      }),
    );
    expect(ledger.knows(TARGET, ADA)).toBe(false);
    ledger.noteSent(TARGET, [ADA], 0);
    expect(ledger.knows(TARGET, ADA)).toBe(true);
  });

  it('notes each plan once', async () => {
    const { open } = await createLedger();
    const ledger = await open();
    expect([ledger.wasApplied('aa'), ledger.noteApplied('aa'), ledger.noteApplied('aa')]).toEqual([
      false,
      true,
      false,
    ]);
    expect(ledger.wasApplied('aa')).toBe(true);
    ledger.forgetApplied('aa');
    expect([ledger.wasApplied('aa'), ledger.noteApplied('aa')]).toEqual([false, true]);
  });

  it('keeps the memberships that were sent for a user, encrypted', async () => {
    const { open, state } = await createLedger();
    const ledger = await open();
    const user = { organizationId: 'acme', userId: 'ada' };
    const grant = (folderId: string, accessRole: string) =>
      toSentRecord(
        { operation: 'users.add.v2', shared: { organizationId: 'acme', folderId } },
        { key: 'users/acme/ada', data: { userId: 'ada', accessRole } },
      );
    expect(ledger.findMemberships(TARGET, user)).toBeUndefined();
    ledger.noteSent(TARGET, [grant('plans', 'viewer')], 1);
    ledger.noteSent(TARGET, [grant('budget-folder', 'editor')], 2);
    const second = await open();
    const found = second.findMemberships(TARGET, user);
    expect([found?.time, [...(found?.memberships.values() ?? [])]]).toEqual([
      2,
      [expect.objectContaining({ role: 'viewer' }), expect.objectContaining({ role: 'editor' })],
    ]);
    expect(second.findMemberships({ ...TARGET, apiKey: 'key-2' }, user)).toBeUndefined();
    for (const name of await readdir(state))
      expect((await readFile(join(state, name))).includes('budget-folder')).toBe(false);
    ledger.forgetSent();
    expect(second.findMemberships(TARGET, user)).toBeUndefined();
  });

  it('renames a file that is damaged within a table', async () => {
    const { open, warnings, path } = await createLedger();
    (await open()).close();
    const bytes = await readFile(path);
    // Everything but the pages of the schema and of the first table.
    await writeFile(path, bytes.fill(0, 2 * 4096));
    const ledger = await open();
    expect(ledger.noteApplied('plan')).toBe(true);
    expect(warnings).toEqual([expect.stringContaining('the ledger was damaged')]);
  });

  it.each(['not a database', 'SQLite format 3\0 but damaged'])(
    'renames a damaged file (%s)',
    async (content) => {
      const { open, warnings, path, state } = await createLedger();
      (await open()).close();
      await writeFile(path, content.padEnd(4096, content));
      const ledger = await open();
      expect(ledger.knows(TARGET, ADA)).toBe(false);
      ledger.noteSent(TARGET, [ADA], 0);
      expect(ledger.knows(TARGET, ADA)).toBe(true);
      expect(warnings).toEqual([
        expect.stringContaining('the ledger was damaged and has been moved to'),
      ]);
      expect((await readdir(state)).filter((name) => name.includes('.damaged-'))).toHaveLength(1);
    },
  );
});
