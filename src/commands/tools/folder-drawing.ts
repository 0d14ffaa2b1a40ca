import { formatNounCount } from '../../kernel/plural.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import type { FolderNode } from './folder-tree.ts';

export interface DrawingStyle {
  readonly branch: string;
  readonly last: string;
  readonly vertical: string;
  /** Symbol for each access type. Other types are shown by name. */
  readonly access: ReadonlyMap<string, string>;
}

export const BOX_STYLE: DrawingStyle = {
  branch: '├─ ',
  last: '└─ ',
  vertical: '│  ',
  access: new Map([
    ['public', '🌐 '],
    ['organizationPrivate', '🏢 '],
    ['restricted', '🔒 '],
  ]),
};

/** ASCII characters, and words instead of symbols. */
export const PLAIN_STYLE: DrawingStyle = {
  branch: '|- ',
  last: '`- ',
  vertical: '|  ',
  access: new Map(),
};

/** Draws a line per folder: its access, name, ID, and number of subfolders. Escapes text from the service. */
export function* drawFolders(folders: readonly FolderNode[], style: DrawingStyle, margin = ''): Generator<string> {
  for (const [index, folder] of folders.entries()) {
    const isLast = index === folders.length - 1;
    yield `${margin}${isLast ? style.last : style.branch}${describeFolder(folder, style)}\n`;
    yield* drawFolders(folder.subFolders, style, margin + (isLast ? '   ' : style.vertical));
  }
}

/** Returns a line such as `🔒 Plans (f1), 3 folders below`. */
function describeFolder(
  { folderId, folderName, accessType, folderCount, subFolders }: FolderNode,
  style: DrawingStyle,
): string {
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
