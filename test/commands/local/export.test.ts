import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GlobalOptions } from '../../../src/commands/context.ts';
import { localExport } from '../../../src/commands/local/export.ts';
import { localImport } from '../../../src/commands/local/import.ts';
import { localReset } from '../../../src/commands/local/reset.ts';
import type { Folders } from '../../../src/kernel/folders.ts';
import { createTemporaryFolder, createUserFolders } from '../../temporary-folder.ts';
import { fakeContext } from '../fake-context.ts';

const STATE = {
  users: [{ organizationId: 'acme', userId: '1e5', name: 'no', email: '' }],
  endpoints: [
    { id: 'ep_1', url: 'https://example.com/', secret: 'whsec_AAAABBBBCCCCDDDDEEEEFFFF' },
  ],
  config: {
    webhook: { webhookServiceConfig: { authToken: 'a token of more than twenty characters' } },
  },
};

/** A user's folders, with the state in the embedded service there. */
async function filled(): Promise<Folders> {
  const folders = await createUserFolders();
  const context = await fakeContext({ folders, stdin: JSON.stringify(STATE) });
  await localImport(context, { arguments: ['-'], options: {} });
  return folders;
}

async function exported(
  folders: Folders,
  options: Partial<GlobalOptions> = {},
  words: readonly string[] = [],
  cwd?: string,
) {
  const context = await fakeContext({ folders, options, ...(cwd && { cwd }) });
  await localExport(context, { arguments: words, options: {} });
  return context;
}

describe('svc local export', () => {
  it.each([undefined, 'table', 'json', 'ndjson', 'yaml'] as const)(
    '-o %s prints what can be imported',
    async (output) => {
      const [folders, others] = [await filled(), await createUserFolders()];
      const text = (await exported(folders, output ? { output } : {})).stdout();
      await localImport(await fakeContext({ folders: others, stdin: text }), {
        arguments: ['-'],
        options: {},
      });
      expect((await exported(others, output ? { output } : {})).stdout()).toBe(text);
      expect(text).toContain(STATE.endpoints[0]?.secret);
      expect(text).toContain(STATE.config.webhook.webhookServiceConfig.authToken);
    },
  );

  it('prints JSON by default', async () => {
    const { stdout } = await exported(await filled());
    expect(JSON.parse(stdout())).toMatchObject(STATE);
    expect(stdout()).toMatch(/^\{\n {2}"organizations"/);
  });

  it.each([
    ['backup.json', undefined, /^\{\n/],
    ['backup.yml', undefined, /^organizations:\n/],
    ['backup', undefined, /^\{\n/],
    ['backup.json', 'yaml', /^organizations:\n/],
    ['backup', 'yaml', /^organizations:\n/],
  ] as const)('writes %s with -o %s, for its owner alone', async (name, output, start) => {
    const folder = await createTemporaryFolder();
    const path = join(folder, name);
    await writeFile(path, 'old', { mode: 0o644 });
    const context = await exported(await filled(), output ? { output } : {}, [name], folder);
    expect(context.stdout()).toBe('');
    expect(context.stderr()).toBe(`Wrote ${name}; it contains unmasked secrets\n`);
    expect(await readFile(path, 'utf8')).toMatch(start);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('rejects unsuitable formats', async () => {
    const folders = await filled();
    for (const output of ['csv', 'markdown'] as const)
      await expect(exported(folders, { output })).rejects.toMatchObject({
        failure: 'usage',
        message: `local export does not support ${output}`,
      });
    await expect(exported(folders, {}, ['backup.csv'])).rejects.toMatchObject({ failure: 'usage' });
    await expect(exported(folders, { fields: ['users'] }, ['x.json'])).rejects.toMatchObject({
      failure: 'usage',
    });
    await expect(exported(folders, {}, ['no/such/folder.json'])).rejects.toMatchObject({
      failure: 'local',
    });
  });
});

describe('svc local reset', () => {
  const usersOf = async (folders: Folders) => JSON.parse((await exported(folders)).stdout()).users;

  it('deletes everything after confirmation', async () => {
    const folders = await filled();
    const context = await fakeContext({ folders, answers: ['yes'] });
    await localReset(context);
    expect(context.questions).toEqual([
      `Delete every record in ${join(folders.data, 'service.sqlite')}?`,
    ]);
    expect(await usersOf(folders)).toEqual([]);
  });

  it('deletes nothing without confirmation or with --dry-run', async () => {
    const folders = await filled();
    await expect(localReset(await fakeContext({ folders, answers: ['no'] }))).rejects.toThrow(
      'not confirmed',
    );
    await localReset(await fakeContext({ folders, options: { dryRun: true, yes: true } }));
    expect(await usersOf(folders)).toHaveLength(1);
  });
});
