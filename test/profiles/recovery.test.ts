import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createRecoveryFile,
  fingerprintOf,
  listPendingRecoveries,
  parseRecord,
} from '../../src/profiles/recovery.ts';
import { createUserFolders } from '../temporary-folder.ts';

const BEGINNING = {
  apiKey: 'key-ü',
  place: 'https://api.example.com',
  profile: 'prod',
  startedAt: '2030-01-01T00:00:00.000Z',
  oldToken: fingerprintOf(randomBytes(18).toString('base64url')),
};

describe('a record', () => {
  it('is complete and private from the start, and follows each update', async () => {
    const folders = await createUserFolders();
    const recovery = await createRecoveryFile(folders, BEGINNING);
    expect(await listPendingRecoveries(folders)).toMatchObject([
      { record: { ...BEGINNING, state: 'sending', token: null } },
    ]);
    expect((await stat(recovery.path)).mode & 0o777).toBe(0o600);
    const size = (await stat(recovery.path)).size;
    const token = randomBytes(200).toString('base64url');
    await recovery.setState('unknown');
    await recovery.storeToken(token);
    expect(await listPendingRecoveries(folders)).toMatchObject([
      { record: { state: 'kept', token } },
    ]);
    // No more disk space was needed.
    expect((await stat(recovery.path)).size).toBe(size);
    await recovery.remove();
    expect(await readdir(dirname(recovery.path))).toEqual([]);
  });

  it('stores a token of any length', async () => {
    const folders = await createUserFolders();
    const recovery = await createRecoveryFile(folders, BEGINNING);
    const token = 'long-'.repeat(10_000);
    await recovery.storeToken(token);
    await recovery.close();
    expect((await listPendingRecoveries(folders))[0]?.record?.token).toBe(token);
  });

  it('that is truncated anywhere yields its last complete state or counts as damaged, and never yields a wrong token', async () => {
    const folders = await createUserFolders();
    const recovery = await createRecoveryFile(folders, BEGINNING);
    const before = await readFile(recovery.path, 'utf8');
    const token = randomBytes(24).toString('base64url');
    await recovery.storeToken(token);
    await recovery.close();
    const after = Buffer.from(await readFile(recovery.path, 'utf8'));
    const start = Buffer.byteLength(before.split('\n')[0] ?? '') + 1;
    fc.assert(
      fc.property(fc.integer({ min: start, max: after.length }), (cut) => {
        const torn = Buffer.concat([
          after.subarray(0, cut),
          Buffer.from(before).subarray(cut),
        ]).toString();
        expect([null, token]).toContain(parseRecord(torn)?.token);
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: after.length }), (cut) => {
        expect([undefined, null, token]).toContain(
          parseRecord(after.subarray(0, cut).toString())?.token,
        );
      }),
    );
  });

  it('that is incomplete after a crash is deleted by the next reset of the same key', async () => {
    const folders = await createUserFolders();
    const first = await createRecoveryFile(folders, BEGINNING);
    await first.remove();
    const unfinished = `${first.path}.new`;
    await writeFile(unfinished, '');
    expect(await listPendingRecoveries(folders)).toEqual([]);
    const second = await createRecoveryFile(folders, BEGINNING);
    expect(await readdir(dirname(unfinished))).toHaveLength(1);
    await second.close();
  });

  it('that is damaged is listed with its path', async () => {
    const folders = await createUserFolders();
    const recovery = await createRecoveryFile(folders, BEGINNING);
    await recovery.close();
    await writeFile(recovery.path, '{"id": 1}');
    expect(await listPendingRecoveries(folders)).toEqual([
      { path: recovery.path, record: undefined },
    ]);
  });

  it('is not created if its folder cannot be created', async () => {
    const folders = await createUserFolders();
    await writeFile(folders.state, 'no folder');
    await expect(createRecoveryFile(folders, BEGINNING)).rejects.toMatchObject({
      failure: 'local',
    });
    await expect(
      listPendingRecoveries({ ...folders, state: join(folders.state, 'below') }),
    ).rejects.toMatchObject({
      failure: 'local',
    });
  });
});
