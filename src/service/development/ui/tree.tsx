import { useState } from 'preact/hooks';
import { moveFocus } from './elements.tsx';
import { safe } from './format.ts';
import { hrefOf } from './route.ts';

export interface Folder {
  readonly folderId: string;
  readonly folderName?: string | null;
  readonly parentFolderId?: string | null;
  readonly accessType?: string;
}

export interface Document {
  readonly documentId: string;
  readonly documentName?: string | null;
  readonly folderId?: string | null;
  readonly accessType?: string;
  readonly disabled?: boolean;
}

interface TreeProps {
  readonly organization: string;
  readonly folders: readonly Folder[];
  readonly documents: readonly Document[];
}

interface Node {
  readonly key: string;
  readonly level: number;
  readonly name: string;
  readonly note: string;
  /** Undefined for documents. */
  readonly isOpen?: boolean;
  readonly href?: string;
}

/** Lists the visible nodes from top to bottom: in each folder its folders, then its documents. */
function visibleNodes({ organization, folders, documents }: TreeProps, closed: ReadonlySet<string>): readonly Node[] {
  const known = new Set(folders.map(({ folderId }) => folderId));
  // Nodes whose folder is not shown are at the top, as are those of the folder `root`.
  const parentOf = (id: string | null | undefined) => (id && known.has(id) ? id : '');
  const folderGroups = Map.groupBy(folders, ({ parentFolderId }) => parentOf(parentFolderId));
  const documentGroups = Map.groupBy(documents, ({ folderId }) => parentOf(folderId));
  const nodesIn = (parent: string, level: number): Node[] => [
    ...(folderGroups.get(parent) ?? []).flatMap(({ folderId, folderName, accessType }) => {
      const isOpen = !closed.has(folderId);
      const node = { key: `folder ${folderId}`, level, name: folderName ?? folderId, note: noteOf(folderId, accessType), isOpen };
      return [node, ...(isOpen ? nodesIn(folderId, level + 1) : [])];
    }),
    ...(documentGroups.get(parent) ?? []).map(({ documentId, documentName, accessType, disabled }) => ({
      ...{ key: `document ${documentId}`, level, name: documentName ?? documentId },
      note: noteOf(documentId, disabled ? 'disabled' : accessType),
      href: hrefOf('organizations', organization, 'documents', documentId),
    })),
  ];
  return nodesIn('', 1);
}

const noteOf = (id: string, access = 'public') => (access === 'public' ? id : `${id} · ${access}`);

/** The folders and documents of an organization, with one tab stop. Left and right arrows close and open folders. */
export function Tree(props: TreeProps) {
  const [closed, setClosed] = useState<Set<string>>(new Set());
  const [focused, setFocused] = useState<string>();
  const nodes = visibleNodes(props, closed);
  const current = nodes.find(({ href }) => href === location.hash);
  const stop = nodes.find(({ key }) => key === focused) ?? current ?? nodes[0];
  const toggle = ({ key, isOpen }: Node) => {
    const id = key.slice('folder '.length);
    setClosed(isOpen ? new Set([...closed, id]) : closed.difference(new Set([id])));
  };
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => {
    const at = nodes.findIndex(({ key }) => key === focused);
    const node = nodes[at];
    const focus = (index: number) => event.currentTarget.querySelectorAll<HTMLElement>('[role=treeitem]')[index]?.focus();
    if (node?.isOpen === false && event.key === 'ArrowRight') toggle(node);
    else if (node?.isOpen && event.key === 'ArrowLeft') toggle(node);
    else if (node?.isOpen && event.key === 'ArrowRight') focus(at + 1);
    else if (node && event.key === 'ArrowLeft') focus(nodes.findLastIndex(({ level }, index) => index < at && level < node.level));
    else if (node?.isOpen !== undefined && (event.key === 'Enter' || event.key === ' ')) toggle(node as Node);
    else return moveFocus(event);
    event.preventDefault();
  };
  return (
    <div class="rows tree" role="tree" aria-label="Folders and documents" onKeyDown={onKeyDown}>
      {nodes.map((node) => (
        <a
          key={node.key}
          role="treeitem"
          {...(node.href && { href: node.href })}
          style={`--level:${node.level}`}
          tabIndex={node === stop ? 0 : -1}
          aria-level={node.level}
          aria-expanded={node.isOpen}
          aria-current={node === current}
          onFocus={() => setFocused(node.key)}
          onClick={() => node.isOpen !== undefined && toggle(node)}
        >
          <span class="name">{safe(node.name)}</span>
          <span class="note">{safe(node.note)}</span>
        </a>
      ))}
    </div>
  );
}
