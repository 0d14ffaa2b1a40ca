import { loadResource } from '../../catalog/index.ts';
import { SvcError } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { noteNoRecords } from '../call/closing-messages.ts';
import { pickKnownId } from '../call/pick-ids.ts';
import { orgHint } from '../call/validation.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { optionalProperty, parseWholeNumber } from '../option-values.ts';
import { prefersPlainText, supportsUnicode } from '../terminal/terminal.ts';
import type { FoldersTreeFlags } from './flags.ts';
import { BOX_STYLE, type DrawingStyle, drawFolders, PLAIN_STYLE } from './folder-drawing.ts';
import { buildFolderTree, type FolderTree } from './folder-tree.ts';

/** Maximum number of levels to draw, because drawing and printing are recursive. */
const MAX_LEVELS = 250;

/** Draws the folders of an organization as a tree. Other formats print nested objects. */
export async function foldersTreeCommand(context: Context, { options }: Invocation<FoldersTreeFlags>): Promise<void> {
  const organizationId =
    options.org ?? (await context.openSettings()).org?.value ?? (await pickKnownId(context, 'organizationId', '--org'));
  if (!organizationId) {
    throw new SvcError('usage', '--org is required', { hint: orgHint(['folders', 'tree']) });
  }
  const { folder } = options;
  const maxDepth = parseWholeNumber('--max-depth', options.maxDepth, 1) ?? Number.POSITIVE_INFINITY;
  const [client, operations] = await Promise.all([context.client(), loadResource('folders')]);
  const result = await client.call(operations['folders.list'], { organizationId });
  if (!result.sent) return;
  const folders = result.data ?? [];
  const tree = buildFolderTree(folders, {
    ...optionalProperty('folder', folder),
    maxDepth: Math.min(maxDepth, MAX_LEVELS),
  });
  if (!tree) throw new SvcError('not_found', `organization ${organizationId} has no folder ${folder}`);
  const printer = await context.printer();
  await printer.value(tree.top, { renderText: () => renderTree(organizationId, tree, styleFor(context)) });
  if (tree.top.length === 0) await noteNoRecords(context, operations['folders.list'], { organizationId });
  await warnAboutTree(context, tree, maxDepth);
}

function renderTree(organizationId: string, { top, levels }: FolderTree, style: DrawingStyle): string {
  const total = top.reduce((sum, { folderCount }) => sum + folderCount + 1, 0);
  const head = `${escapeForTerminal(organizationId)}: ${formatNounCount(total, 'folder')}${levels > 1 ? `, ${levels} levels` : ''}\n`;
  return head + [...drawFolders(top, style)].join('');
}

function styleFor(context: Context): DrawingStyle {
  const canDraw = !context.io.stdout.isTerminal || supportsUnicode(context);
  return canDraw && !prefersPlainText(context) ? BOX_STYLE : PLAIN_STYLE;
}

async function warnAboutTree(context: Context, { orphans, levels }: FolderTree, maxDepth: number): Promise<void> {
  if (orphans.length > 0) {
    await context.warn(
      `these folders have no parent in the organization and are shown at the top level: ${orphans.join(', ')}`,
    );
  }
  if (levels > MAX_LEVELS && maxDepth > MAX_LEVELS) {
    await context.warn(`the tree has ${levels} levels, and only the first ${MAX_LEVELS} are shown`);
  }
}
