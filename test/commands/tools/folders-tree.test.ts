import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildFolderTree,
  type FolderNode,
  type FolderRecord,
  foldersTreeCommand,
} from '../../../src/commands/tools/folders-tree.ts';
import { success } from '../../client/client-fixture.ts';
import { SLOW } from '../../slow.ts';
import { type ToolWorld, toolContext } from './world.ts';

const folder = (folderId: string, parentFolderId: string, more: object = {}) => ({
  folderId,
  parentFolderId,
  organizationId: 'acme',
  createdAt: 1,
  lastUpdated: 1,
  ...more,
});

const FOLDERS = [
  folder('b', 'a', { accessType: 'restricted' }),
  folder('a', 'root', { folderName: 'Plans', accessType: 'public' }),
  folder('d', 'c'),
  folder('c', 'a', { folderName: 'c', accessType: 'organizationPrivate' }),
  folder('z', 'root', { accessType: 'odd\u001b[2J' }),
];

/** `a(b c(d)) z` */
const outline = (nodes: readonly FolderNode[]): string =>
  nodes
    .map(
      ({ folderId, subFolders }) =>
        folderId + (subFolders.length > 0 ? `(${outline(subFolders)})` : ''),
    )
    .join(' ');
const tree = (
  folders: readonly FolderRecord[],
  options: { folder?: string; maxDepth?: number } = {},
) => buildFolderTree(folders, { maxDepth: 100, ...options });

async function drawn(
  folders: readonly object[],
  options: Record<string, string> = {},
  world: ToolWorld = {},
) {
  const { context, bodies } = await toolContext([success(folders)], world);
  await foldersTreeCommand(context, { arguments: [], options: { org: 'acme', ...options } });
  return { out: context.stdout(), err: context.stderr(), sent: await bodies() };
}

describe('the tree of a flat list', () => {
  it('puts every folder below its parent, in the order of the list', () => {
    const made = tree(FOLDERS);
    expect(outline(made?.top ?? [])).toBe('a(b c(d)) z');
    expect(made).toMatchObject({
      orphans: [],
      levels: 3,
      top: [{ depth: 1, folderCount: 3 }, { folderCount: 0 }],
    });
  });

  it('is cut below a level, and still counts hidden folders', () => {
    const made = tree(FOLDERS, { maxDepth: 1 });
    expect(outline(made?.top ?? [])).toBe('a z');
    expect(made?.top[0]?.folderCount).toBe(3);
  });

  it('can start at one folder', () => {
    expect(outline(tree(FOLDERS, { folder: 'c' })?.top ?? [])).toBe('c(d)');
    expect(outline(tree(FOLDERS, { folder: 'a', maxDepth: 1 })?.top ?? [])).toBe('a(b c)');
    expect(tree(FOLDERS, { folder: 'nope' })).toBeUndefined();
  });

  it.each([
    {
      lie: 'a missing parent',
      folders: [folder('x', 'gone'), folder('y', 'x')],
      shown: 'x(y)',
      orphans: ['x'],
    },
    {
      lie: 'a cycle',
      folders: [folder('x', 'y'), folder('y', 'x'), folder('t', 'x')],
      shown: 'x(y t)',
      orphans: ['x'],
    },
    { lie: 'its own parent', folders: [folder('x', 'x')], shown: 'x', orphans: ['x'] },
    {
      lie: 'a folder twice',
      folders: [folder('x', 'root'), folder('x', 'root')],
      shown: 'x',
      orphans: [],
    },
    {
      lie: 'the root itself',
      folders: [folder('root', ''), folder('x', 'root')],
      shown: 'x',
      orphans: [],
    },
    { lie: 'no parent', folders: [folder('x', '')], shown: 'x', orphans: [] },
    {
      lie: 'property names of objects',
      folders: [folder('__proto__', 'root'), folder('constructor', '__proto__')],
      shown: '__proto__(constructor)',
      orphans: [],
    },
  ])('places each folder once in an inconsistent list: $lie', ({ folders, shown, orphans }) => {
    const made = tree(folders);
    expect([outline(made?.top ?? []), made?.orphans]).toEqual([shown, orphans]);
  });

  it('contains every folder of any list exactly once, and counts all of them', () => {
    const id = fc.constantFrom('root', 'a', 'b', 'c', 'd', 'e', 'f');
    const lists = fc
      .array(fc.tuple(id, id))
      .map((pairs) => pairs.map(([own, parent]) => folder(own, parent)));
    const placed = (nodes: readonly FolderNode[]): string[] =>
      nodes.flatMap(({ folderId, subFolders }) => [folderId, ...placed(subFolders)]);
    fc.assert(
      fc.property(lists, (folders) => {
        const { top = [] } = tree(folders) ?? {};
        const ids = new Set(
          folders.map(({ folderId }) => folderId).filter((own) => own !== 'root'),
        );
        expect(placed(top).sort()).toEqual([...ids].sort());
        expect(top.reduce((sum, { folderCount }) => sum + folderCount + 1, 0)).toBe(ids.size);
      }),
    );
  });

  it('can be deeper than the call stack', SLOW, () => {
    const chain = Array.from({ length: 100_000 }, (_, index) =>
      folder(`f${index}`, index ? `f${index - 1}` : 'root'),
    );
    expect(tree(chain)).toMatchObject({ levels: 100_000, top: [{ folderCount: 99_999 }] });
  });
});

describe('svc folders tree', () => {
  it('draws access, names, IDs, and counts, and escapes them', async () => {
    const { out, err, sent } = await drawn(FOLDERS);
    expect(out).toBe(
      [
        'acme: 5 folders, 3 levels',
        '├─ 🌐 Plans (a), 3 folders below',
        '│  ├─ 🔒 b',
        '│  └─ 🏢 c, 1 folder below',
        '│     └─ d',
        '└─ z, odd\\u001b[2J',
        '',
      ].join('\n'),
    );
    expect(err).toBe('');
    expect(sent).toEqual([{ data: { organizationId: 'acme' } }]);
  });

  it.each([{ ACCESSIBLE: '1' }, { TERM: 'dumb' }])(
    'uses plain characters and words with %j',
    async (environment) => {
      const { out } = await drawn(FOLDERS, { maxDepth: '2' }, { environment });
      expect(out).toBe(
        [
          'acme: 5 folders, 3 levels',
          '|- Plans (a), public, 3 folders below',
          '|  |- b, restricted',
          '|  `- c, organizationPrivate, 1 folder below, not shown',
          '`- z, odd\\u001b[2J',
          '',
        ].join('\n'),
      );
    },
  );

  it('nests the records in other formats', async () => {
    const { out } = await drawn(FOLDERS, { folder: 'c' }, { options: { output: 'json' } });
    expect(JSON.parse(out)).toEqual([
      {
        ...folder('c', 'a', { folderName: 'c', accessType: 'organizationPrivate' }),
        depth: 0,
        folderCount: 1,
        subFolders: [{ ...folder('d', 'c'), depth: 1, folderCount: 0, subFolders: [] }],
      },
    ]);
  });

  it('warns about orphans and about levels that are too deep to show', async () => {
    const chain = Array.from({ length: 300 }, (_, index) =>
      folder(`f${index}`, index ? `f${index - 1}` : 'gone'),
    );
    const { out, err } = await drawn(chain);
    expect(out.split('\n')).toHaveLength(252);
    expect(err).toBe(
      'warning: these folders have no parent in the organization and are shown at the top level: f0\n' +
        'warning: the tree has 300 levels, and only the first 250 are shown\n',
    );
  });

  it('fails if a folder has no ID', async () => {
    await expect(drawn([{ folderName: 'Plans' }])).rejects.toMatchObject({
      failure: 'invalid_response',
      message: '/v2/organizations/folders/get returned a record without folderId',
    });
  });

  it('draws an organization without folders', async () => {
    expect((await drawn([])).out).toBe('acme: 0 folders\n');
  });

  it('rejects missing and invalid arguments', async () => {
    await expect(drawn(FOLDERS, { folder: 'nope' })).rejects.toMatchObject({
      failure: 'not_found',
      message: 'organization acme has no folder nope',
    });
    await expect(drawn(FOLDERS, { org: '' })).rejects.toMatchObject({ failure: 'usage' });
    for (const maxDepth of ['0', '-1', '1.5', 'all', '']) {
      await expect(drawn(FOLDERS, { maxDepth })).rejects.toMatchObject({ failure: 'usage' });
    }
  });
});
