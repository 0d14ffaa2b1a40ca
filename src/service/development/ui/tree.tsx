import { useState } from 'preact/hooks';
import { safe } from './format.ts';
import { moveFocus } from './list.tsx';
import { hrefOf } from './route.ts';

export interface ListedFolder {
  readonly folderId: string;
  readonly folderName: string | null;
  readonly parentFolderId: string;
  readonly accessType: string;
}

export interface ListedDocument {
  readonly documentId: string;
  readonly documentName: string | null;
  readonly folderId: string | null;
  readonly accessType: string;
  readonly disabled: boolean;
}

interface TreeProps {
  readonly organization: string;
  readonly folders: readonly ListedFolder[];
  readonly documents: readonly ListedDocument[];
}

interface Node {
  readonly href: string;
  readonly level: number;
  readonly name: string;
  readonly note: string;
  /** Undefined for documents. */
  readonly isOpen?: boolean;
}

/** Lists the visible nodes from top to bottom: in each folder its folders, then its documents. */
function findVisibleNodes({ organization, folders, documents }: TreeProps, closed: ReadonlySet<string>): readonly Node[] {
  const known = new Set(folders.map(({ folderId }) => folderId));
  // Records whose folder is not listed are at the top.
  const parentOf = (id: string | null) => (id !== null && known.has(id) ? id : undefined);
  const foldersIn = Map.groupBy(folders, ({ parentFolderId }) => parentOf(parentFolderId));
  const documentsIn = Map.groupBy(documents, ({ folderId }) => parentOf(folderId));
  const describe = (id: string, accessType: string) => (accessType === 'public' ? id : `${id} · ${accessType}`);
  const nodesIn = (parent: string | undefined, level: number): readonly Node[] => [
    ...(foldersIn.get(parent) ?? []).flatMap(({ folderId, folderName, accessType }) => {
      const href = hrefOf('organizations', organization, 'folders', folderId);
      const isOpen = !closed.has(href);
      const node = { href, level, name: folderName ?? folderId, note: describe(folderId, accessType), isOpen };
      return [node, ...(isOpen ? nodesIn(folderId, level + 1) : [])];
    }),
    ...(documentsIn.get(parent) ?? []).map(({ documentId, documentName, accessType, disabled }) => {
      const href = hrefOf('organizations', organization, 'documents', documentId);
      return { href, level, name: documentName ?? documentId, note: describe(documentId, disabled ? 'disabled' : accessType) };
    }),
  ];
  return nodesIn(undefined, 1);
}

/** The folders and documents of an organization, with one tab stop. Left and right arrows close and open folders. */
export function Tree(props: TreeProps) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState<string>();
  const nodes = findVisibleNodes(props, closed);
  const stop = nodes.find(({ href }) => href === focused) ?? nodes.find(({ href }) => href === location.hash) ?? nodes[0];
  const setOpen = ({ href }: Node, isOpen: boolean) => {
    setClosed(new Set(isOpen ? [...closed].filter((other) => other !== href) : [...closed, href]));
  };
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => {
    const at = nodes.findIndex(({ href }) => href === focused);
    const node = nodes[at];
    const focus = (index: number) => event.currentTarget.querySelectorAll('a')[index]?.focus();
    if (!node || !['ArrowLeft', 'ArrowRight'].includes(event.key)) return moveFocus(event);
    event.preventDefault();
    if (event.key === 'ArrowRight' && node.isOpen) focus(at + 1);
    else if (event.key === 'ArrowRight' && node.isOpen === false) setOpen(node, true);
    else if (event.key === 'ArrowLeft' && node.isOpen) setOpen(node, false);
    else if (event.key === 'ArrowLeft') focus(nodes.findLastIndex(({ level }, index) => index < at && level < node.level));
  };
  const onClick = (event: MouseEvent) => {
    const target = event.target as Element;
    const node = target.matches('.toggle') && nodes.find(({ href }) => href === target.parentElement?.getAttribute('href'));
    if (!node) return;
    event.preventDefault();
    setOpen(node, !node.isOpen);
  };
  return (
    <div class="rows tree" role="tree" aria-label="Folders and documents" onKeyDown={onKeyDown} onClick={onClick}>
      {nodes.map((node) => {
        const { href, level, isOpen } = node;
        const state = { 'aria-level': level, 'aria-expanded': isOpen, 'aria-current': href === location.hash };
        return (
          <a
            role="treeitem"
            key={href}
            href={href}
            {...{ tabIndex: node === stop ? 0 : -1, style: `padding-left: ${level * 20 - 12}px`, ...state }}
            onFocus={() => setFocused(href)}
          >
            <span class={isOpen === undefined ? 'leaf' : 'toggle'} aria-hidden="true" />
            <span class="name">{safe(node.name)}</span>
            <span class="note">{safe(node.note)}</span>
          </a>
        );
      })}
    </div>
  );
}
