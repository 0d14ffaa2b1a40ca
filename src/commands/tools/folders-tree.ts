import { loadResource } from '../../catalog/index.ts';
import { SvcError } from '../../kernel/errors.ts';
import { amount } from '../../kernel/plural.ts';
import { safeText } from '../../kernel/safe-text.ts';
import { noteNothing } from '../call/answers.ts';
import { orgHint } from '../call/validation.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { given, textValue, wholeNumber } from '../option-values.ts';
import { drawsSigns, wantsPlainText } from '../terminal/terminal.ts';
import { drawFolders, LINES, type Pen, PLAIN } from './folder-drawing.ts';
import { type FolderTree, folderTree } from './folder-tree.ts';

/** Deeper than anyone reads, and no deeper than what draws and prints a tree can recurse. */
const DEEPEST = 250;

export interface FoldersTreeOptions {
  readonly organizationId: string;
  readonly folder?: string;
  readonly maxDepth?: number;
}

export async function foldersTreeCommand(context: Context, { options }: Invocation): Promise<void> {
  const organizationId = textValue(options, 'org') ?? (await context.openSettings()).org?.value;
  if (!organizationId) {
    throw new SvcError('usage', '--org is required', { hint: orgHint(['folders', 'tree']) });
  }
  await foldersTree(context, {
    organizationId,
    ...given('folder', textValue(options, 'folder')),
    ...given('maxDepth', wholeNumber('--max-depth', textValue(options, 'maxDepth'), 1)),
  });
}

/** Draws the tree of an organization's folders, or prints the folders nested in each other. */
export async function foldersTree(context: Context, options: FoldersTreeOptions): Promise<void> {
  const { organizationId, folder, maxDepth = Number.POSITIVE_INFINITY } = options;
  const [client, operations] = await Promise.all([context.client(), loadResource('folders')]);
  const reply = await client.call(operations['folders.list'], { organizationId });
  if (!reply.sent) return;
  const folders = reply.data ?? [];
  const tree = folderTree(folders, { ...given('folder', folder), maxDepth: Math.min(maxDepth, DEEPEST) });
  if (!tree) throw new SvcError('not_found', `organization ${organizationId} has no folder ${folder}`);
  const printer = await context.printer();
  await printer.value(tree.top, { drawing: () => drawing(organizationId, tree, penFor(context)) });
  if (tree.top.length === 0) await noteNothing(context, operations['folders.list'], { organizationId });
  await warnOf(context, tree, maxDepth);
}

function drawing(organizationId: string, { top, levels: deep }: FolderTree, pen: Pen): string {
  const total = top.reduce((sum, { folderCount }) => sum + folderCount + 1, 0);
  const head = `${safeText(organizationId)}: ${amount(total, 'folder')}${deep > 1 ? `, ${deep} levels` : ''}\n`;
  return head + [...drawFolders(top, pen)].join('');
}

function penFor(context: Context): Pen {
  const draws = !context.io.stdout.isTerminal || drawsSigns(context);
  return draws && !wantsPlainText(context) ? LINES : PLAIN;
}

async function warnOf(context: Context, { adrift, levels: deep }: FolderTree, maxDepth: number): Promise<void> {
  if (adrift.length > 0) {
    await context.warn(`these folders have no parent in the organization and stand at the top: ${adrift.join(', ')}`);
  }
  if (deep > DEEPEST && maxDepth > DEEPEST) {
    await context.warn(`the tree is ${deep} levels deep; ${DEEPEST} of them are shown`);
  }
}
