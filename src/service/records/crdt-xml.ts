import {
  XmlElement as ParsedElement,
  type XmlNode as ParsedNode,
  XmlText as ParsedText,
  parseXml as parseDocument,
} from '@rgrove/parse-xml';

export type XmlNode = string | XmlElement;

export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlNode[];
}

const MAX_DEPTH = 128;

/**
 * Returns `undefined` unless well-formed. Rejects document types and instructions, so nothing is
 * ever fetched.
 */
export function parseXml(text: string): readonly XmlNode[] | undefined {
  try {
    const { root } = parseDocument(`<root>${text}</root>`);
    return root ? toNodes(root.children, 1) : undefined;
  } catch {
    // The parser is recursive, so that deep nesting can also exceed the stack.
    return undefined;
  }
}

function toNodes(parsed: readonly ParsedNode[], depth: number): readonly XmlNode[] {
  if (depth > MAX_DEPTH) throw new RangeError(`nested deeper than ${MAX_DEPTH} levels`);
  return parsed.map((node) => {
    if (node instanceof ParsedText) return node.text;
    if (!(node instanceof ParsedElement)) throw new TypeError(`unsupported content: ${node.type}`);
    const attributes = new Map(Object.entries(node.attributes));
    if (attributes.has('__proto__')) throw new TypeError('unsupported attribute');
    return { name: node.name, attributes, children: toNodes(node.children, depth + 1) };
  });
}

export function formatXml(nodes: readonly XmlNode[]): string {
  return nodes.map(formatNode).join('');
}

function formatNode(node: XmlNode): string {
  if (typeof node === 'string') return escapeXml(node);
  const attributes = [...node.attributes]
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join('');
  if (node.children.length === 0) return `<${node.name}${attributes}/>`;
  return `<${node.name}${attributes}>${formatXml(node.children)}</${node.name}>`;
}

const ESCAPES = new Map(Object.entries({ '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }));

function escapeXml(text: string): string {
  return text.replace(/[<>&"]/g, (plain) => ESCAPES.get(plain) ?? plain);
}
