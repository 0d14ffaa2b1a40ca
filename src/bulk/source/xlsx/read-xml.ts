import { TextDecoder } from 'node:util';
import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { withFirstChunkOf } from '../bytes.ts';
import { detectEncoding } from '../decode.ts';

/**
 * Receives the elements of an XML document that are in the namespace of its root. Names have no
 * prefix.
 */
export interface XmlHandler {
  /** @param parent name of the enclosing element; empty for the root */
  open?(name: string, attributes: XmlAttributes, parent: string): void;
  text?(text: string): void;
  close?(name: string): void;
  /** Matches text of elements that the handler needs not see. Parsing them takes 20 times as long. */
  readonly ignored?: RegExp;
}

/** Attributes by their names with prefixes. */
export type XmlAttributes = Readonly<Record<string, SaxesAttributeNS>>;

/**
 * Upper bound on the bytes of a text or an element's start, which the parser holds in memory. A
 * cell has at most 32,767 characters.
 */
const MAX_PART_BYTES = 4 * 1024 * 1024;
/** Real files have up to 8 levels, and up to 20 attributes per element. */
const [MAX_NESTING, MAX_ATTRIBUTES] = [64, 1000];
/** Upper bound on the elements of a row or of a text, and of those without them. */
const MAX_ELEMENTS = 500_000;
const SAMPLE_CHARACTERS = 4096;
/** The element of a document's choices between markup for newer and for older programs. */
const COMPATIBILITY = 'http://schemas.openxmlformats.org/markup-compatibility/2006';

/** Number of bytes that contain the XML declaration. */
const DECLARATION_BYTES = 256;
const DECLARED_ENCODING = /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.-]+)["']/;

/**
 * Parses an XML document while it is read. Yields after each chunk, so that the caller can pass on
 * what the handler received.
 * @throws Error for XML that is not well-formed, is not text in its encoding, declares a document
 * type, is nested too deeply, or has a part that is too large
 */
export async function* readXml(
  bytes: AsyncIterable<Uint8Array>,
  handler: XmlHandler,
): AsyncGenerator<void> {
  const parser = new SaxesParser({ xmlns: true, position: false });
  const elements = new ElementFilter(handler);
  let [pending, attributes, inside] = [0, 0, 0];
  parser.on('attribute', () => {
    attributes += 1;
    if (attributes > MAX_ATTRIBUTES) throw new Error('an element has too many attributes');
  });
  parser.on('opentag', (tag) => {
    pending = 0;
    attributes = 0;
    inside = tag.local === 'row' || tag.local === 'si' ? 0 : inside + 1;
    if (inside > MAX_ELEMENTS) throw new Error('it has too many elements without text');
    elements.open(tag);
  });
  parser.on('closetag', () => {
    pending = 0;
    elements.close();
  });
  const addText = (text: string) => elements.text(text);
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('doctype', () => {
    throw new Error('the XML declares a document type');
  });
  let [canIgnore, last] = [handler.ignored !== undefined, ''];
  for await (const text of decodeXml(bytes)) {
    // Comments and CDATA sections contain text that only looks like elements.
    if (text.includes('!')) canIgnore &&= !(last + text).includes('<!');
    last = text.slice(-1);
    // Searching the whole text would take 2% of the total time.
    const isIgnored = canIgnore && text.slice(0, SAMPLE_CHARACTERS).includes('"/>');
    parser.write(isIgnored && handler.ignored ? text.replace(handler.ignored, '') : text);
    pending += text.length;
    if (pending > MAX_PART_BYTES) throw new Error('a part of the XML is too large');
    yield;
  }
  parser.close();
  yield;
}

/**
 * Passes on elements of the root's namespace. Leaves out other elements with all of their content,
 * but looks into the markup for programs that do not know extensions.
 */
class ElementFilter {
  readonly #handler: XmlHandler;
  /** The names of open elements; empty for those that are looked into. */
  readonly #names: string[] = [];
  #namespace: string | undefined;
  /** Number of open elements that are left out. */
  #skipped = 0;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  open({ local, uri, attributes }: SaxesTagNS): void {
    if (this.#names.length + this.#skipped === MAX_NESTING)
      throw new Error(`the XML is nested more than ${MAX_NESTING} levels deep`);
    this.#namespace ??= uri;
    const isWrapper =
      uri === COMPATIBILITY && (local === 'AlternateContent' || local === 'Fallback');
    if (this.#skipped > 0 || !(isWrapper || uri === this.#namespace)) this.#skipped += 1;
    else {
      const parent = this.#names.findLast((name) => name !== '') ?? '';
      this.#names.push(isWrapper ? '' : local);
      if (!isWrapper) this.#handler.open?.(local, attributes, parent);
    }
  }

  text(text: string): void {
    if (this.#skipped === 0) this.#handler.text?.(text);
  }

  close(): void {
    if (this.#skipped > 0) this.#skipped -= 1;
    else {
      const name = this.#names.pop();
      if (name) this.#handler.close?.(name);
    }
  }
}

/** Decodes XML in the encoding of its byte order mark or declaration. */
async function* decodeXml(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  for await (const chunk of withFirstChunkOf(bytes, DECLARATION_BYTES)) {
    decoder ??= createDecoder(chunk);
    yield decode(decoder, chunk);
  }
  if (decoder) yield decode(decoder);
}

function createDecoder(head: Uint8Array): TextDecoder {
  const start = Buffer.from(head.subarray(0, DECLARATION_BYTES)).toString('latin1');
  const declared = DECLARED_ENCODING.exec(start)?.[1];
  try {
    const { name } = detectEncoding(head, declared);
    // A TextDecoder takes ASCII for Windows-1252, but in ASCII, a byte of another encoding is an error.
    return new TextDecoder(/ascii/i.test(name) ? 'utf-8' : name, { fatal: true });
  } catch {
    throw new Error(`the XML is in the unknown encoding ${declared}`);
  }
}

function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    throw new Error(`the XML is not valid ${decoder.encoding.toUpperCase()} text`);
  }
}
