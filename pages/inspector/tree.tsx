import { useState } from 'preact/hooks';
import { safe } from './format.ts';
import { moveFocus, useTabStop } from './list.tsx';
import { hrefOf } from './route.ts';

/** A record of `/_svc/list`. */
export type ListedRecord = Readonly<Partial<Record<string, string>>>;

interface TreeProps {
  readonly org: string;
  readonly folders: readonly ListedRecord[];
  readonly documents: readonly ListedRecord[];
}

interface Node {
  readonly href: string;
  readonly level: number;
  readonly name: string;
  readonly note: string;
  /** Undefined for documents. */
  readonly isOpen?: boolean;
}

/**
 * Returns the visible nodes from top to bottom. Each folder contains first its subfolders, then its
 * documents.
 */
function findVisibleNodes(
  { org, folders, documents }: TreeProps,
  closed: ReadonlySet<string>,
): readonly Node[] {
  const known = new Set(folders.map(({ folderId }) => folderId));
  // Records whose folder is not listed are at the top level.
  const groupByParent = (records: readonly ListedRecord[], field: string) =>
    Map.groupBy(records, ({ [field]: parent }) => (known.has(parent) ? parent : undefined));
  const [foldersIn, documentsIn] = [
    groupByParent(folders, 'parentFolderId'),
    groupByParent(documents, 'folderId'),
  ];
  const createNode = (
    kind: string,
    level: number,
    id: string,
    name: string | undefined,
    access = 'public',
  ) => {
    const href = hrefOf('organizations', org, kind, id);
    return { href, level, name: name ?? id, note: access === 'public' ? id : `${id} · ${access}` };
  };
  const nodesIn = (parent: string | undefined, level: number): readonly Node[] => [
    ...(foldersIn.get(parent) ?? []).flatMap(({ folderId = '', folderName, accessType }) => {
      const node = createNode('folders', level, folderId, folderName, accessType);
      const isOpen = !closed.has(node.href);
      return [{ ...node, isOpen }, ...(isOpen ? nodesIn(folderId, level + 1) : [])];
    }),
    ...(documentsIn.get(parent) ?? []).map(
      ({ documentId = '', documentName, accessType, disabled }) => {
        return createNode(
          'documents',
          level,
          documentId,
          documentName,
          disabled ? 'disabled' : accessType,
        );
      },
    ),
  ];
  return nodesIn(undefined, 1);
}

/**
 * Shows the folders and documents of an organization. It is one tab stop; the left and right arrows
 * close and open folders.
 */
export function Tree(props: TreeProps) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const nodes = findVisibleNodes(props, closed);
  const linkOf = useTabStop(nodes.map(({ href }) => href));
  const toggle = (href: string) => setClosed(closed.symmetricDifference(new Set([href])));
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => {
    const links = [...event.currentTarget.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    const node = nodes[at];
    if (!node || !['ArrowLeft', 'ArrowRight'].includes(event.key)) return moveFocus(event);
    event.preventDefault();
    const isRight = event.key === 'ArrowRight';
    const parent = nodes.findLastIndex(({ level }, index) => index < at && level < node.level);
    if (node.isOpen === !isRight) toggle(node.href);
    else links[isRight ? at + Number(node.isOpen ?? 0) : parent]?.focus();
  };
  const onClick = (event: MouseEvent) => {
    if (!(event.target instanceof Element && event.target.matches('.toggle'))) return;
    event.preventDefault();
    toggle(event.target.parentElement?.getAttribute('href') ?? '');
  };
  return (
    <div
      class="rows tree"
      role="tree"
      aria-label="Folders and documents"
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      {nodes.map(({ href, level, name, note, isOpen }) => (
        <a
          key={href}
          role="treeitem"
          aria-level={level}
          aria-expanded={isOpen}
          style={`padding-left: ${level * 20 - 12}px`}
          {...linkOf(href)}
        >
          <span class={isOpen === undefined ? '' : 'toggle'} aria-hidden="true" />
          <span class="name">{safe(name)}</span>
          <span class="note">{safe(note)}</span>
        </a>
      ))}
    </div>
  );
}
