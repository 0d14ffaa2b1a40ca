import type { Readable } from 'node:stream';
import { SaxesParser } from 'saxes';

/** Receives the parts of an XML document. Names have no namespace prefix. */
export interface XmlHandler {
  open?(name: string, attributes: XmlAttributes): void;
  text?(text: string): void;
  close?(name: string): void;
}

export type XmlAttributes = Readonly<Record<string, string>>;

/**
 * Upper bound on the bytes of a text or an element's start, which the parser holds in memory. A
 * cell has at most 32,767 characters.
 */
const MAX_PART_BYTES = 4 * 1024 * 1024;

/**
 * Parses an XML document while it is read. Yields after each chunk, so that the caller can pass on
 * what the handler received.
 * @throws Error for XML that is not well-formed, declares a document type, or has a part that is
 * too large
 */
export async function* readXml(stream: Readable, handler: XmlHandler): AsyncGenerator<void> {
  const parser = new SaxesParser({ xmlns: false, position: false });
  let pending = 0;
  parser.on('opentag', ({ name, attributes }) => {
    pending = 0;
    handler.open?.(localName(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    pending = 0;
    handler.close?.(localName(name));
  });
  parser.on('text', (text) => handler.text?.(text));
  parser.on('cdata', (text) => handler.text?.(text));
  parser.on('doctype', () => {
    throw new Error('the XML declares a document type');
  });
  for await (const chunk of stream.setEncoding('utf8') as AsyncIterable<string>) {
    parser.write(chunk);
    pending += chunk.length;
    if (pending > MAX_PART_BYTES) throw new Error('a part of the XML is too large');
    yield;
  }
  parser.close();
  yield;
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}
