import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pendingRecoveries } from '../../src/profiles/recovery/pending.ts';
import { fingerprint, parseRecord } from '../../src/profiles/recovery/record.ts';
import { beginRecovery } from '../../src/profiles/recovery/recovery.ts';
import { temporaryFolders } from '../temporary-folder.ts';

const BEGINNING = {
  apiKey: 'key-ü',
  place: 'https://api.example.com',
  profile: 'prod',
  startedAt: '2030-01-01T00:00:00.000Z',
  oldToken: fingerprint(randomBytes(18).toString('base64url')),
};

describe('a record', () => {
  it('is whole and private from its first moment, and follows what is known', async () => {
    const folders = await temporaryFolders();
    const recovery = await beginRecovery(folders, BEGINNING);
    expect(await pendingRecoveries(folders)).toMatchObject([
      { record: { ...BEGINNING, state: 'sending', token: null } },
    ]);
    expect((await stat(recovery.path)).mode & 0o777).toBe(0o600);
    const size = (await stat(recovery.path)).size;
    const token = randomBytes(200).toString('base64url');
    await recovery.note('unknown');
    await recovery.keep(token);
    expect(await pendingRecoveries(folders)).toMatchObject([{ record: { state: 'kept', token } }]);
    // Nothing more was needed on disk.
    expect((await stat(recovery.path)).size).toBe(size);
    await recovery.remove();
    expect(await readdir(dirname(recovery.path))).toEqual([]);
  });

  it('holds a token of any length', async () => {
    const folders = await temporaryFolders();
    const recovery = await beginRecovery(folders, BEGINNING);
    const token = 'long-'.repeat(10_000);
    await recovery.keep(token);
    await recovery.close();
    expect((await pendingRecoveries(folders))[0]?.record?.token).toBe(token);
  });

  it('that is cut anywhere is the last state that is whole in it, or damaged, and never another token', async () => {
    const folders = await temporaryFolders();
    const recovery = await beginRecovery(folders, BEGINNING);
    const before = await readFile(recovery.path, 'utf8');
    const token = randomBytes(24).toString('base64url');
    await recovery.keep(token);
    await recovery.close();
    const after = Buffer.from(await readFile(recovery.path, 'utf8'));
    const start = Buffer.byteLength(before.split('\n')[0] ?? '') + 1;
    fc.assert(
      fc.property(fc.integer({ min: start, max: after.length }), (cut) => {
        const torn = Buffer.concat([after.subarray(0, cut), Buffer.from(before).subarray(cut)]).toString();
        expect([null, token]).toContain(parseRecord(torn)?.token);
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: after.length }), (cut) => {
        expect([undefined, null, token]).toContain(parseRecord(after.subarray(0, cut).toString())?.token);
      }),
    );
  });

  it('of which a kill left a part was never sent: the next one of the same key takes it away', async () => {
    const folders = await temporaryFolders();
    const first = await beginRecovery(folders, BEGINNING);
    await first.remove();
    const unfinished = `${first.path}.new`;
    await writeFile(unfinished, '');
    expect(await pendingRecoveries(folders)).toEqual([]);
    const second = await beginRecovery(folders, BEGINNING);
    expect(await readdir(dirname(unfinished))).toHaveLength(1);
    await second.close();
  });

  it('that is damaged is named, not passed over', async () => {
    const folders = await temporaryFolders();
    const recovery = await beginRecovery(folders, BEGINNING);
    await recovery.close();
    await writeFile(recovery.path, '{"id": 1}');
    expect(await pendingRecoveries(folders)).toEqual([{ path: recovery.path, record: undefined }]);
  });

  it('is not there when its folder cannot be', async () => {
    const folders = await temporaryFolders();
    await writeFile(folders.state, 'no folder');
    await expect(beginRecovery(folders, BEGINNING)).rejects.toMatchObject({ failure: 'local' });
    await expect(pendingRecoveries({ ...folders, state: join(folders.state, 'below') })).rejects.toMatchObject({
      failure: 'local',
    });
  });
});
