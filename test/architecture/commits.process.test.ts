import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { findCommitFaults } from './commits.ts';

const BODY = '\n\nExplains the change.';

async function createRepository(...messages: readonly string[]) {
  const folder = await createTemporaryFolder();
  const git = (...args: readonly string[]) => {
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    const { status, stderr } = spawnSync('git', [...identity, ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
  };
  git('init', '--quiet', '--initial-branch=main');
  for (const message of messages) git('commit', '--quiet', '--allow-empty', '-m', message);
  return { folder, git };
}

describe('the check of commit messages', () => {
  it('accepts short subjects with a body, and renames without one', async () => {
    const { folder } = await createRepository(`Add a flag${BODY}`, 'Rename a file', 'Move a file');
    expect(findCommitFaults(folder)).toEqual([]);
  });

  it.each([
    [`${'x'.repeat(73)}${BODY}`, 'has a subject of 73 characters'],
    ['Add a flag', 'has no body that explains it'],
  ])('rejects a message: %j', async (message, text) => {
    const { folder } = await createRepository(`${'x'.repeat(72)}${BODY}`, message);
    expect(findCommitFaults(folder)).toEqual([{ commit: expect.stringMatching(/^\w+$/), text }]);
  });

  it('rejects a merge', async () => {
    const { folder, git } = await createRepository(`Add a flag${BODY}`);
    git('switch', '--quiet', '--create', 'other');
    git('commit', '--quiet', '--allow-empty', '-m', `Add another flag${BODY}`);
    git('switch', '--quiet', 'main');
    git('merge', '--quiet', '--no-ff', '-m', `Merge the latest changes${BODY}`, 'other');
    expect(findCommitFaults(folder).map(({ text }) => text)).toEqual([
      'is a merge: rebase instead',
    ]);
  });

  it('ignores a folder without a repository', async () => {
    expect(findCommitFaults(await createTemporaryFolder())).toEqual([]);
  });
});
