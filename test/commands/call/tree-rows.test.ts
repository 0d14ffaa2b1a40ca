import { expect, it } from 'vitest';
import { flattenTrees } from '../../../src/commands/call/print-results.ts';
import { singlePage } from '../../../src/output/renderer.ts';

it('a tree becomes rows with their depth, parents first', async () => {
  const leaf = { folderId: 'c', parentFolderId: 'b' };
  const trees = [
    {
      folderId: 'a',
      subFolders: [
        { folderId: 'b', subFolders: [leaf] },
        { folderId: 'd', subFolders: [] },
      ],
    },
    'unexpected',
  ];
  expect(await Array.fromAsync(flattenTrees(singlePage(trees), 'subFolders'))).toEqual([
    [
      { folderId: 'a', depth: 0 },
      { folderId: 'b', depth: 1 },
      { ...leaf, depth: 2 },
      { folderId: 'd', depth: 1 },
      'unexpected',
    ],
  ]);
});
