import { SaxesParser } from 'saxes';

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
    const [root] = readNodes(`<root>${text}</root>`);
    return typeof root === 'object' ? root.children : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Error for XML that is not well-formed, nested too deeply, or has other content */
function readNodes(text: string): readonly XmlNode[] {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const lists: XmlNode[][] = [[]];
  const add = (node: XmlNode) => {
    const list = lists.at(-1) ?? [];
    const last = list.at(-1);
    if (typeof node === 'string' && typeof last === 'string') list[list.length - 1] = last + node;
    else list.push(node);
  };
  const reject = () => {
    throw new TypeError('unsupported content');
  };
  parser.on('opentag', ({ name, attributes }) => {
    if (lists.length > MAX_DEPTH) throw new RangeError(`nested deeper than ${MAX_DEPTH} levels`);
    const children: XmlNode[] = [];
    add({ name, attributes: toMap(attributes), children });
    lists.push(children);
  });
  parser.on('closetag', () => void lists.pop());
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('doctype', reject);
  parser.on('processinginstruction', reject);
  parser.write(text).close();
  return lists[0] ?? [];
}

function toMap(attributes: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const map = new Map(Object.entries(attributes));
  if (map.has('__proto__')) throw new TypeError('unsupported attribute');
  return map;
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
