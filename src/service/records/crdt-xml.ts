/** XML as an editor's content holds it: text, and elements with attributes and children. */
export type XmlNode = string | XmlElement;

export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlNode[];
}

/** Elements that may stand inside each other. */
const DEEPEST = 128;

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

interface Open {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlNode[];
}

/**
 * The nodes of an XML fragment, or `undefined` when it is not well-formed. There are no document types and no
 * processing instructions, so that nothing can be expanded or fetched; comments are dropped.
 */
export function parseXml(text: string): readonly XmlNode[] | undefined {
  const top: Open = { name: '', attributes: new Map(), children: [] };
  const open = [top];
  for (let at = 0; at < text.length; at = TOKENS.lastIndex) {
    TOKENS.lastIndex = at;
    const token = TOKENS.exec(text)?.groups;
    if (!token || !take(token, open) || open.length > DEEPEST) return undefined;
  }
  return open.length === 1 ? top.children : undefined;
}

/** Adds a token to the innermost open element, or opens or closes one; false when it does not fit there. */
function take(token: Readonly<Record<string, string | undefined>>, open: Open[]): boolean {
  const { opened, attributes = '', empty, closed, verbatim, text } = token;
  const inner = open.at(-1);
  if (!inner) return false;
  if (closed !== undefined) return open.length > 1 && open.pop()?.name === closed;
  if (opened !== undefined) {
    const known = attributesOf(attributes);
    if (!known) return false;
    const element = { name: opened, attributes: known, children: [] };
    inner.children.push(element);
    if (!empty) open.push(element);
    return true;
  }
  const written = verbatim ?? unescaped(text ?? '');
  if (written === undefined) return false;
  addText(inner.children, written);
  return true;
}

/** Text beside text is one node. */
function addText(children: XmlNode[], text: string): void {
  const last = children.at(-1);
  if (typeof last === 'string') children[children.length - 1] = last + text;
  else if (text !== '') children.push(text);
}

/** The attributes of a tag, or `undefined` when one stands twice, or could not be read back. */
function attributesOf(text: string): ReadonlyMap<string, string> | undefined {
  const attributes = new Map<string, string>();
  for (const { groups = {} } of text.matchAll(ATTRIBUTE)) {
    const { name = '' } = groups;
    const value = unescaped(groups['double'] ?? groups['single'] ?? '');
    if (value === undefined || attributes.has(name) || name === '__proto__') return undefined;
    attributes.set(name, value);
  }
  return attributes;
}

const ENTITIES = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** A text with its entities replaced, or `undefined` when one is not known. */
function unescaped(text: string): string | undefined {
  let isKnown = true;
  const plain = text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w*));?/gi, (entity, decimal, hexadecimal, name) => {
    const character = name === undefined ? characterOf(decimal, hexadecimal) : ENTITIES.get(name);
    if (character === undefined || !entity.endsWith(';')) isKnown = false;
    return character ?? '';
  });
  return isKnown ? plain : undefined;
}

function characterOf(decimal: string | undefined, hexadecimal: string | undefined): string | undefined {
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
  const isCharacter = code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}

/** The nodes as XML text. */
export function formatXml(nodes: readonly XmlNode[]): string {
  return nodes.map(format).join('');
}

function format(node: XmlNode): string {
  if (typeof node === 'string') return escaped(node);
  const attributes = [...node.attributes].map(([name, value]) => ` ${name}="${escaped(value)}"`).join('');
  if (node.children.length === 0) return `<${node.name}${attributes}/>`;
  return `<${node.name}${attributes}>${formatXml(node.children)}</${node.name}>`;
}

const ESCAPES = new Map([...ENTITIES].filter(([name]) => name !== 'apos').map(([name, plain]) => [plain, `&${name};`]));

function escaped(text: string): string {
  return text.replace(/[<>&"]/g, (plain) => ESCAPES.get(plain) ?? plain);
}
