import { amount } from '../../kernel/plural.ts';
import { safeText } from '../../kernel/safe-text.ts';
import type { FolderNode } from './folder-tree.ts';

/** What a tree is drawn with. */
export interface Pen {
  readonly branch: string;
  readonly last: string;
  readonly through: string;
  readonly blank: string;
  /** A sign for each kind of access; what has none is named. */
  readonly access: ReadonlyMap<string, string>;
}

export const LINES: Pen = {
  branch: '├─ ',
  last: '└─ ',
  through: '│  ',
  blank: '   ',
  access: new Map([
    ['public', '🌐 '],
    ['organizationPrivate', '🏢 '],
    ['restricted', '🔒 '],
  ]),
};

/** Plain characters, and words that a screen reader can say. */
export const PLAIN: Pen = { branch: '|- ', last: '`- ', through: '|  ', blank: '   ', access: new Map() };

/** A line a folder: its access, name and id, and how many folders are below it. Text of the service is made safe. */
export function* drawFolders(folders: readonly FolderNode[], pen: Pen, margin = ''): Generator<string> {
  for (const [index, folder] of folders.entries()) {
    const isLast = index === folders.length - 1;
    yield `${margin}${isLast ? pen.last : pen.branch}${describeFolder(folder, pen)}\n`;
    yield* drawFolders(folder.subFolders, pen, margin + (isLast ? pen.blank : pen.through));
  }
}

/** `🔒 Plans (f1), 3 folders below` */
function describeFolder({ folderId, folderName, accessType, folderCount, subFolders }: FolderNode, pen: Pen): string {
  const sign = accessType && pen.access.get(accessType);
  const named = folderName && folderName !== folderId ? `${folderName} (${folderId})` : folderId;
  const parts = [
    named,
    ...(accessType && !sign ? [accessType] : []),
    ...(folderCount > 0 ? [`${amount(folderCount, 'folder')} below`] : []),
    ...(folderCount > 0 && subFolders.length === 0 ? ['not shown'] : []),
  ];
  return safeText(`${sign ?? ''}${parts.join(', ')}`);
}
