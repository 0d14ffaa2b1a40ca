import { isDeepStrictEqual } from 'node:util';
import * as Y from 'yjs';
import { differingSpan, differingText } from './crdt-span.ts';
import { formatXml, type XmlElement, type XmlNode } from './crdt-xml.ts';

/** What an editor's content is to be, or was found to be. */
export type Content =
  | { readonly type: 'text'; readonly data: string }
  | { readonly type: 'map'; readonly data: Readonly<Record<string, unknown>> }
  | { readonly type: 'array'; readonly data: readonly unknown[] }
  | { readonly type: 'xml'; readonly data: readonly XmlNode[] };

/** Whose writing the service's is. One author for every write, or a document would grow by one with each. */
const SERVICE_CLIENT = 1;

/** A document as it was kept, or an empty one. Nobody else writes to it at the same time: a store has one writer. */
export function openDocument(state?: string): Y.Doc {
  const document = new Y.Doc();
  if (state !== undefined) Y.applyUpdate(document, Buffer.from(state, 'base64'));
  document.clientID = SERVICE_CLIENT;
  return document;
}

/** The whole document as one update, which makes it anywhere, and brings a copy of an earlier state up to it. */
export function stateOf(document: Y.Doc): string {
  return Buffer.from(Y.encodeStateAsUpdate(document)).toString('base64');
}

/**
 * Makes the content under a key what it is to be, by the operations that change only what differs: what clients have
 * open, and what they write at the same time, stays in place.
 */
export function replaceContent(document: Y.Doc, key: string, { type, data }: Content): void {
  document.transact(() => {
    switch (type) {
      case 'text':
        return replaceText(document.getText(key), data);
      case 'map':
        return replaceMap(document.getMap(key), data);
      case 'array':
        return replaceArray(document.getArray(key), data);
      case 'xml':
        return replaceNodes(document.getXmlFragment(key), data);
    }
  });
}

/** The content under a key, as replies show it. */
export function contentOf(document: Y.Doc, key: string, type: Content['type']): unknown {
  switch (type) {
    case 'text':
      return document.getText(key).toString();
    case 'map':
      return document.getMap(key).toJSON();
    case 'array':
      return document.getArray(key).toJSON();
    case 'xml':
      return formatXml(nodesOf(document.getXmlFragment(key)));
  }
}

function replaceText(text: Y.Text, wanted: string): void {
  const { start, before, after } = differingText(text.toString(), wanted);
  text.delete(start, before - start);
  text.insert(start, wanted.slice(start, after));
}

function replaceMap(map: Y.Map<unknown>, wanted: Readonly<Record<string, unknown>>): void {
  for (const key of [...map.keys()]) if (!Object.hasOwn(wanted, key)) map.delete(key);
  for (const [key, value] of Object.entries(wanted)) {
    if (!map.has(key) || !isDeepStrictEqual(plain(map.get(key)), value)) map.set(key, value);
  }
}

function replaceArray(array: Y.Array<unknown>, wanted: readonly unknown[]): void {
  const { start, before, after } = differingSpan(array.toArray().map(plain), wanted, isDeepStrictEqual);
  array.delete(start, before - start);
  array.insert(start, wanted.slice(start, after));
}

function plain(value: unknown): unknown {
  return value instanceof Y.AbstractType ? value.toJSON() : value;
}

/** Elements of one name and texts are changed where they are, as long as none has come or gone. */
function replaceNodes(parent: Y.XmlFragment, wanted: readonly XmlNode[]): void {
  const known = nodesOf(parent);
  const { start, before, after } = differingSpan<XmlNode>(known, wanted, isDeepStrictEqual);
  if (before !== after) {
    insteadOf(parent, start, before, wanted.slice(start, after));
    return;
  }
  for (let at = start; at < after; at++) {
    const [node, next] = [parent.get(at), wanted[at] ?? ''];
    if (node instanceof Y.XmlText && typeof next === 'string') replaceText(node, next);
    else if (node instanceof Y.XmlElement && typeof next !== 'string' && node.nodeName === next.name) {
      replaceElement(node, next);
    } else insteadOf(parent, at, at + 1, [next]);
  }
}

function insteadOf(parent: Y.XmlFragment, start: number, end: number, nodes: readonly XmlNode[]): void {
  parent.delete(start, end - start);
  parent.insert(start, nodes.map(made));
}

function replaceElement(element: Y.XmlElement, { attributes, children }: XmlElement): void {
  const known = new Map(Object.entries(element.getAttributes()));
  for (const name of known.keys()) if (!attributes.has(name)) element.removeAttribute(name);
  for (const [name, value] of attributes) if (known.get(name) !== value) element.setAttribute(name, value);
  replaceNodes(element, children);
}

function made(node: XmlNode): Y.XmlElement | Y.XmlText {
  if (typeof node === 'string') return new Y.XmlText(node);
  const element = new Y.XmlElement(node.name);
  for (const [name, value] of node.attributes) element.setAttribute(name, value);
  element.insert(0, node.children.map(made));
  return element;
}

function nodesOf(parent: Y.XmlFragment): XmlNode[] {
  return parent.toArray().map((node) => {
    if (!(node instanceof Y.XmlElement)) return String(node);
    const attributes = new Map(Object.entries(node.getAttributes()).map(([name, value]) => [name, String(value)]));
    return { name: node.nodeName, attributes, children: nodesOf(node) };
  });
}
