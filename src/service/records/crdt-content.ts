import { isDeepStrictEqual } from 'node:util';
import * as Y from 'yjs';
import { formatXml, type XmlElement, type XmlNode } from './crdt-xml.ts';

export type EditorContent =
  | { readonly type: 'text'; readonly data: string }
  | { readonly type: 'map'; readonly data: Readonly<Record<string, unknown>> }
  | { readonly type: 'array'; readonly data: readonly unknown[] }
  | { readonly type: 'xml'; readonly data: readonly XmlNode[] };

/**
 * Client ID for writes of the service. With a new ID for each write, documents would grow without
 * bound.
 */
const SERVICE_CLIENT_ID = 1;

/**
 * Decodes a stored document, or creates an empty one. A fixed client ID is safe, because writes are
 * serialized.
 */
export function decodeDocument(state?: string): Y.Doc {
  const document = new Y.Doc();
  if (state !== undefined) Y.applyUpdate(document, Buffer.from(state, 'base64'));
  document.clientID = SERVICE_CLIENT_ID;
  return document;
}

/**
 * Encodes the whole document as one update, which can create the document or update an older copy.
 */
export function encodeDocument(document: Y.Doc): string {
  return Buffer.from(Y.encodeStateAsUpdate(document)).toString('base64');
}

/**
 * Replaces the content under a key. Changes only the differences, so that concurrent edits of
 * clients are kept.
 */
export function replaceContent(document: Y.Doc, key: string, { type, data }: EditorContent): void {
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

export function readContent(document: Y.Doc, key: string, type: EditorContent['type']): unknown {
  switch (type) {
    case 'text':
      return document.getText(key).toString();
    case 'map':
      return document.getMap(key).toJSON();
    case 'array':
      return document.getArray(key).toJSON();
    case 'xml':
      return formatXml(readNodes(document.getXmlFragment(key)));
  }
}

function replaceText(text: Y.Text, target: string): void {
  const { start, beforeEnd, afterEnd } = diffTexts(text.toString(), target);
  text.delete(start, beforeEnd - start);
  text.insert(start, target.slice(start, afterEnd));
}

function replaceMap(map: Y.Map<unknown>, target: Readonly<Record<string, unknown>>): void {
  for (const key of [...map.keys()]) if (!Object.hasOwn(target, key)) map.delete(key);
  for (const [key, value] of Object.entries(target)) {
    if (!map.has(key) || !isDeepStrictEqual(toPlainValue(map.get(key)), value)) map.set(key, value);
  }
}

function replaceArray(array: Y.Array<unknown>, target: readonly unknown[]): void {
  const { start, beforeEnd, afterEnd } = diffSequences(
    array.toArray().map(toPlainValue),
    target,
    isDeepStrictEqual,
  );
  array.delete(start, beforeEnd - start);
  array.insert(start, target.slice(start, afterEnd));
}

function toPlainValue(value: unknown): unknown {
  return value instanceof Y.AbstractType ? value.toJSON() : value;
}

/**
 * Replaces the nodes of a parent. Updates nodes in place if their number and names stay the same.
 */
function replaceNodes(parent: Y.XmlFragment, target: readonly XmlNode[]): void {
  const current = readNodes(parent);
  const { start, beforeEnd, afterEnd } = diffSequences<XmlNode>(current, target, isDeepStrictEqual);
  if (beforeEnd !== afterEnd) {
    replaceRange(parent, start, beforeEnd, target.slice(start, afterEnd));
    return;
  }
  for (let at = start; at < afterEnd; at++) {
    const [node, next] = [parent.get(at), target[at] ?? ''];
    if (node instanceof Y.XmlText && typeof next === 'string') replaceText(node, next);
    else if (
      node instanceof Y.XmlElement &&
      typeof next !== 'string' &&
      node.nodeName === next.name
    ) {
      replaceElement(node, next);
    } else replaceRange(parent, at, at + 1, [next]);
  }
}

function replaceRange(
  parent: Y.XmlFragment,
  start: number,
  end: number,
  nodes: readonly XmlNode[],
): void {
  parent.delete(start, end - start);
  parent.insert(start, nodes.map(createNode));
}

function replaceElement(element: Y.XmlElement, { attributes, children }: XmlElement): void {
  const current = new Map(Object.entries(element.getAttributes()));
  for (const name of current.keys()) if (!attributes.has(name)) element.removeAttribute(name);
  for (const [name, value] of attributes)
    if (current.get(name) !== value) element.setAttribute(name, value);
  replaceNodes(element, children);
}

function createNode(node: XmlNode): Y.XmlElement | Y.XmlText {
  if (typeof node === 'string') return new Y.XmlText(node);
  const element = new Y.XmlElement(node.name);
  for (const [name, value] of node.attributes) element.setAttribute(name, value);
  element.insert(0, node.children.map(createNode));
  return element;
}

function readNodes(parent: Y.XmlFragment): XmlNode[] {
  return parent.toArray().map((node) => {
    if (!(node instanceof Y.XmlElement)) return String(node);
    const attributes = new Map(
      Object.entries(node.getAttributes()).map(([name, value]) => [name, String(value)]),
    );
    return { name: node.nodeName, attributes, children: readNodes(node) };
  });
}

function diffSequences<Item>(
  before: ArrayLike<Item>,
  after: ArrayLike<Item>,
  isSame: (one: Item | undefined, other: Item | undefined) => boolean = Object.is,
) {
  const limit = Math.min(before.length, after.length);
  let start = 0;
  while (start < limit && isSame(before[start], after[start])) start++;
  let common = 0;
  while (
    common < limit - start &&
    isSame(before[before.length - 1 - common], after[after.length - 1 - common])
  )
    common++;
  return { start, beforeEnd: before.length - common, afterEnd: after.length - common };
}

/** Finds the shortest range to replace in a text. Never splits a surrogate pair. */
function diffTexts(before: string, after: string) {
  const diff = diffSequences<string>(before, after);
  const extraStart = /[\ud800-\udbff]/.test(before[diff.start - 1] ?? '') ? 1 : 0;
  const extraEnd = /[\udc00-\udfff]/.test(before[diff.beforeEnd] ?? '') ? 1 : 0;
  return {
    start: diff.start - extraStart,
    beforeEnd: diff.beforeEnd + extraEnd,
    afterEnd: diff.afterEnd + extraEnd,
  };
}
