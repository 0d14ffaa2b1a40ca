import { loadResource } from '../../catalog/index.ts';
import { requireIds } from '../../client/response-data.ts';
import { SvcError } from '../../kernel/errors.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { parseOrganization } from '../../profiles/profile.ts';
import { printNoRecords } from '../call/closing-messages.ts';
import { findDefaultOrganization } from '../call/input-data.ts';
import { requireOrganizationsToRead } from '../call/missing-parents.ts';
import { pickKnownId } from '../call/pick-ids.ts';
import { orgHint } from '../call/validation.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { optionalProperty, parseWholeNumber } from '../options.ts';
import { prefersPlainText, supportsUnicode, withCiReason } from '../terminal/terminal.ts';

/** Maximum number of levels to draw, because drawing and printing are recursive. */
const MAX_LEVELS = 250;
type FoldersTreeFlags = { readonly [Name in 'org' | 'folder' | 'maxDepth']?: string | undefined };

export async function foldersTreeCommand(
  context: Context,
  { options }: Invocation<FoldersTreeFlags>,
): Promise<void> {
  const organizationId =
    (options.org && parseOrganization(options.org, '--org')) ??
    (await findDefaultOrganization(context)) ??
    (await pickKnownId(context, 'organizationId', '--org'));
  if (!organizationId)
    throw new SvcError('usage', '--org is required', {
      hint: withCiReason(context, orgHint(['folders', 'tree'])),
    });
  const { folder } = options;
  const maxDepth = parseWholeNumber('--max-depth', options.maxDepth, 1) ?? Number.POSITIVE_INFINITY;
  const [client, operations] = await Promise.all([context.client(), loadResource('folders')]);
  await requireOrganizationsToRead(context, operations['folders.list'], [{ organizationId }]);
  const result = await client.call(operations['folders.list'], { organizationId });
  if (!result.sent) return;
  const folders = requireIds(operations['folders.list'], result.data ?? [], 'folderId');
  const tree = buildFolderTree(folders, {
    ...optionalProperty('folder', folder),
    maxDepth: Math.min(maxDepth, MAX_LEVELS),
  });
  if (!tree)
    throw new SvcError(
      'not_found',
      `organization ${quoteId(organizationId)} has no folder ${quoteId(folder ?? '')}`,
    );
  const printer = await context.printer();
  const canDraw =
    (!context.io.stdout.isTerminal || supportsUnicode(context)) && !prefersPlainText(context);
  const style = canDraw ? BOX_STYLE : PLAIN_STYLE;
  await printer.value(tree.top, { renderText: () => renderTree(organizationId, tree, style) });
  if (tree.top.length === 0)
    await printNoRecords(context, operations['folders.list'], { organizationId });
  await warnAboutTree(context, tree, maxDepth);
}

function renderTree(
  organizationId: string,
  { top, levels }: FolderTree,
  style: DrawingStyle,
): string {
  const total = top.reduce((sum, { folderCount }) => sum + folderCount + 1, 0);
  const head = `${escapeForTerminal(organizationId)}: ${formatNounCount(total, 'folder')}${levels > 1 ? `, ${levels} levels` : ''}\n`;
  return head + [...drawFolders(top, style)].join('');
}

async function warnAboutTree(
  context: Context,
  { orphans, levels }: FolderTree,
  maxDepth: number,
): Promise<void> {
  if (orphans.length > 0) {
    const problem =
      'these folders have no parent in the organization and are shown at the top level';
    await context.warn(`${problem}: ${orphans.join(', ')}`);
  }
  if (levels > MAX_LEVELS && maxDepth > MAX_LEVELS)
    await context.warn(`the tree has ${levels} levels, and only the first ${MAX_LEVELS} are shown`);
}

interface DrawingStyle {
  readonly lines: readonly [branch: string, last: string, vertical: string];
  readonly access: ReadonlyMap<string, string>;
}

const BOX_STYLE: DrawingStyle = {
  lines: ['├─ ', '└─ ', '│  '],
  access: new Map(Object.entries({ public: '🌐 ', organizationPrivate: '🏢 ', restricted: '🔒 ' })),
};

const PLAIN_STYLE: DrawingStyle = { lines: ['|- ', '`- ', '|  '], access: new Map() };

function* drawFolders(
  folders: readonly FolderNode[],
  style: DrawingStyle,
  margin = '',
): Generator<string> {
  const [branch, last, vertical] = style.lines;
  for (const [index, folder] of folders.entries()) {
    const isLast = index === folders.length - 1;
    yield `${margin}${isLast ? last : branch}${describeFolder(folder, style)}\n`;
    yield* drawFolders(folder.subFolders, style, margin + (isLast ? '   ' : vertical));
  }
}

function describeFolder(
  { folderId, folderName, accessType, folderCount, subFolders }: FolderNode,
  style: DrawingStyle,
) {
  const symbol = accessType && style.access.get(accessType);
  const label = folderName && folderName !== folderId ? `${folderName} (${folderId})` : folderId;
  const parts = [
    label,
    ...(accessType && !symbol ? [accessType] : []),
    ...(folderCount > 0 ? [`${formatNounCount(folderCount, 'folder')} below`] : []),
    ...(folderCount > 0 && subFolders.length === 0 ? ['not shown'] : []),
  ];
  return escapeForTerminal(`${symbol ?? ''}${parts.join(', ')}`);
}

export interface FolderRecord {
  readonly folderId: string;
  readonly folderName?: string | undefined;
  readonly parentFolderId: string;
  readonly accessType?: string | undefined;
}

export interface FolderNode extends FolderRecord {
  /** 1 at the top level of the organization, 0 for the requested root folder. */
  readonly depth: number;
  /** Number of descendants, including those that are not shown. */
  readonly folderCount: number;
  readonly subFolders: readonly FolderNode[];
}

type FolderTree = NonNullable<ReturnType<typeof buildFolderTree>>;
const ROOT = 'root';

interface MutableNode extends FolderNode {
  readonly subFolders: MutableNode[];
  folderCount: number;
}

/**
 * Builds a tree from a possibly inconsistent list. Places folders whose parent is not in the list,
 * and folders in cycles, at the top level. Counts include folders and levels below `maxDepth`,
 * which are not in the tree.
 * @param folder root folder of the tree (default: all folders)
 * @returns undefined if the root folder is not in the list
 */
export function buildFolderTree(
  folders: readonly FolderRecord[],
  { folder: rootId, maxDepth }: { readonly folder?: string; readonly maxDepth: number },
) {
  const byId = new Map(folders.map((folder) => [folder.folderId, folder]));
  byId.delete(ROOT);
  const all = [...byId.values()];
  const childrenOf = Map.groupBy(all, ({ parentFolderId }) => parentFolderId);
  const top: MutableNode[] = [];
  /** Nodes and their parents, in the order of placement. */
  const placed = new Map<
    string,
    { readonly node: MutableNode; readonly parent: MutableNode | undefined }
  >();
  const place = (first: FolderRecord, depth: number): boolean => {
    if (placed.has(first.folderId)) return false;
    const waiting: { folder: FolderRecord; parent?: MutableNode }[] = [{ folder: first }];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { folder, parent } = next;
      if (placed.has(folder.folderId)) continue;
      const node: MutableNode = {
        ...folder,
        depth: parent ? parent.depth + 1 : depth,
        folderCount: 0,
        subFolders: [],
      };
      placed.set(folder.folderId, { node, parent });
      if (node.depth <= maxDepth) (parent?.subFolders ?? top).push(node);
      for (const child of childrenOf.get(folder.folderId)?.toReversed() ?? [])
        waiting.push({ folder: child, parent: node });
    }
    return true;
  };
  const root = rootId === undefined ? undefined : byId.get(rootId);
  if (rootId !== undefined && !root) return undefined;
  if (root) place(root, 0);
  else for (const folder of all) if ((folder.parentFolderId || ROOT) === ROOT) place(folder, 1);
  // Folders whose parent is not in the list are placed before folders in cycles.
  const tops = all.filter(({ parentFolderId }) => !byId.has(parentFolderId));
  const orphans = root
    ? []
    : [...tops, ...all].filter((folder) => place(folder, 1)).map(({ folderId }) => folderId);
  const nodes = [...placed.values()];
  // Children follow their parents.
  for (const { node, parent } of nodes.toReversed())
    if (parent) parent.folderCount += node.folderCount + 1;
  const levels = nodes.reduce((deepest, { node }) => Math.max(deepest, node.depth), 0);
  return { top: top as readonly FolderNode[], orphans, levels };
}
