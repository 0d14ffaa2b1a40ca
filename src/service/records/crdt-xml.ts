export type XmlNode = string | XmlElement;

export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlNode[];
}

const MAX_DEPTH = 128;
const NAME = String.raw`[\p{L}_:][\p{L}\p{N}_:.\-]*`;
const TOKENS = new RegExp(
  [
    '<!--(?<comment>(?:(?!--).)*)-->',
    String.raw`<!\[CDATA\[(?<verbatim>.*?)\]\]>`,
    String.raw`</(?<closed>${NAME})\s*>`,
    String.raw`<(?<opened>${NAME})(?<attributes>(?:\s+${NAME}\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?<empty>/?)>`,
    '(?<text>[^<]+)',
  ].join('|'),
  'suy',
);
const ATTRIBUTE = new RegExp(String.raw`(?<name>${NAME})\s*=\s*(?:"(?<double>[^"]*)"|'(?<single>[^']*)')`, 'gu');

interface OpenElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlNode[];
}

/** Returns `undefined` unless well-formed. Rejects document types and instructions, so nothing is ever fetched. */
export function parseXml(text: string): readonly XmlNode[] | undefined {
  const root: OpenElement = { name: '', attributes: new Map(), children: [] };
  const open = [root];
  for (let at = 0; at < text.length; at = TOKENS.lastIndex) {
    TOKENS.lastIndex = at;
    const token = TOKENS.exec(text)?.groups;
    if (!token || !applyToken(token, open) || open.length > MAX_DEPTH) return undefined;
  }
  return open.length === 1 ? root.children : undefined;
}

function applyToken(token: Readonly<Record<string, string | undefined>>, open: OpenElement[]): boolean {
  const { opened, attributes = '', empty, closed, verbatim, text } = token;
  const parent = open.at(-1);
  if (!parent) return false;
  if (closed !== undefined) return open.length > 1 && open.pop()?.name === closed;
  if (opened !== undefined) {
    const parsed = parseAttributes(attributes);
    if (!parsed) return false;
    const element = { name: opened, attributes: parsed, children: [] };
    parent.children.push(element);
    if (!empty) open.push(element);
    return true;
  }
  const content = verbatim ?? unescapeXml(text ?? '');
  if (content === undefined) return false;
  addText(parent.children, content);
  return true;
}

function addText(children: XmlNode[], text: string): void {
  const last = children.at(-1);
  if (typeof last === 'string') children[children.length - 1] = last + text;
  else if (text !== '') children.push(text);
}

function parseAttributes(text: string): ReadonlyMap<string, string> | undefined {
  const attributes = new Map<string, string>();
  for (const { groups = {} } of text.matchAll(ATTRIBUTE)) {
    const { name = '' } = groups;
    const value = unescapeXml(groups['double'] ?? groups['single'] ?? '');
    if (value === undefined || attributes.has(name) || name === '__proto__') return undefined;
    attributes.set(name, value);
  }
  return attributes;
}

const ENTITIES = new Map(Object.entries({ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }));

function unescapeXml(text: string): string | undefined {
  let isValid = true;
  const plain = text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w*));?/gi, (entity, decimal, hexadecimal, name) => {
    const character = name === undefined ? decodeCharacter(decimal, hexadecimal) : ENTITIES.get(name);
    if (character === undefined || !entity.endsWith(';')) isValid = false;
    return character ?? '';
  });
  return isValid ? plain : undefined;
}

function decodeCharacter(decimal: string | undefined, hexadecimal: string | undefined): string | undefined {
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
  const isCharacter = code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}

export function formatXml(nodes: readonly XmlNode[]): string {
  return nodes.map(formatNode).join('');
}

function formatNode(node: XmlNode): string {
  if (typeof node === 'string') return escapeXml(node);
  const attributes = [...node.attributes].map(([name, value]) => ` ${name}="${escapeXml(value)}"`).join('');
  if (node.children.length === 0) return `<${node.name}${attributes}/>`;
  return `<${node.name}${attributes}>${formatXml(node.children)}</${node.name}>`;
}

const ESCAPES = new Map([...ENTITIES].filter(([name]) => name !== 'apos').map(([name, plain]) => [plain, `&${name};`]));

function escapeXml(text: string): string {
  return text.replace(/[<>&"]/g, (plain) => ESCAPES.get(plain) ?? plain);
}
