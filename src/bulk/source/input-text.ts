import { constants } from 'node:buffer';
import { Readable } from 'node:stream';
import type { Io } from '../../kernel/io.ts';
import { findNamedFile } from '../../kernel/named-file.ts';
import { groupDigits } from '../../kernel/plural.ts';
import { decompress, prepend, readNamedBytes, readStreamBytes, withFirstChunkOf } from './bytes.ts';
import { decodeText, detectEncoding, MAX_SIGNATURE_BYTES, rejectBinary } from './decode.ts';
import { InputError } from './source.ts';
import type { TextEncoding } from './text-encoding.ts';

const HEAD_CHARACTERS = 4096;

export interface InputText {
  readonly encoding: TextEncoding;
  readonly head: string;
  readonly chunks: AsyncIterable<string>;
  cancel(): Promise<void>;
}

export interface InputTextRequest {
  readonly file: string;
  readonly cwd: string;
  readonly stdin: Pick<Io['stdin'], 'stream'>;
  readonly signal: AbortSignal;
}

/**
 * Opens the text of a file or of stdin.
 * @throws SvcError `usage` if the file does not exist, `local` if it cannot be read, `invalid_input` if
 * it is empty or not text
 */
export async function openInputText(
  request: InputTextRequest,
): Promise<InputText & { readonly name: string }> {
  const { file, cwd, stdin, signal } = request;
  const name = inputName(file);
  const bytes =
    file === '-'
      ? readStreamBytes(stdin.stream, name, signal)
      : readNamedBytes(await findNamedFile(file, cwd), name, signal);
  return { name, ...(await decodeInputText(bytes, name)) };
}

/**
 * Decodes the bytes of a small file, which may be empty, like those of an input file.
 * @throws SvcError `invalid_input` at the first invalid byte
 */
export async function decodeSmallFile(bytes: Uint8Array, name: string): Promise<string> {
  const { chunks } = await decodeInputText(Readable.from([bytes]), name, { mayBeEmpty: true });
  return joinText(chunks, name);
}

export function inputName(file: string): string {
  return file === '-' ? 'stdin' : file;
}

export interface TextOptions {
  /** The encoding, unless the text starts with a byte order mark (default: detected). */
  readonly encoding?: string | undefined;
  readonly hasEncodingFlag?: boolean;
  readonly mayBeEmpty?: boolean;
  /** The hint for an empty text. */
  readonly emptyHint?: string;
}

/**
 * Decodes bytes as text, and decompresses them if needed.
 * @throws SvcError `invalid_input` if the bytes are not text, or if the text is empty, unless it may be
 */
export async function decodeInputText(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  {
    encoding: given,
    hasEncodingFlag,
    mayBeEmpty = false,
    emptyHint = 'check that the export is complete',
  }: TextOptions = {},
): Promise<InputText> {
  const chunks = withFirstChunkOf(decompress(bytes, name), MAX_SIGNATURE_BYTES);
  const { value: start = new Uint8Array(), done } = await chunks.next();
  try {
    rejectBinary(start, name);
  } catch (error) {
    await chunks.return(undefined);
    throw error;
  }
  const encoding = detectEncoding(start, given);
  const decoded = decodeText(done ? chunks : prepend([start], chunks), {
    name,
    encoding,
    hasEncodingFlag,
  });
  const text = withoutSeparators(await readHead(decoded, encoding));
  if (!mayBeEmpty && text.head.trim() === '')
    throw new InputError(name, {}, 'the input is empty', emptyHint);
  return text;
}

/** The character before each record of a JSON text sequence (RFC 7464). */
const RECORD_SEPARATOR = '\x1e';

/** Replaces the separators of a JSON text sequence with spaces, which preserves positions. */
function withoutSeparators(text: InputText): InputText {
  if (!text.head.startsWith(RECORD_SEPARATOR)) return text;
  const replace = (part: string) => part.replaceAll(RECORD_SEPARATOR, ' ');
  return { ...text, head: replace(text.head), chunks: mapText(text.chunks, replace) };
}

async function* mapText(
  chunks: AsyncIterable<string>,
  change: (chunk: string) => string,
): AsyncGenerator<string> {
  for await (const chunk of chunks) yield change(chunk);
}

/**
 * Reads a whole text.
 * @param maxLength longest text in characters (default: as long as a string can be)
 * @throws SvcError `invalid_input` if the text is longer
 */
export async function joinText(
  chunks: AsyncIterable<string>,
  name: string,
  maxLength = constants.MAX_STRING_LENGTH,
): Promise<string> {
  const texts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxLength)
      throw new InputError(
        name,
        {},
        `longer than ${groupDigits(maxLength)} characters`,
        'split it into several files',
      );
    texts.push(chunk);
  }
  return texts.join('');
}

async function readHead(
  chunks: AsyncGenerator<string>,
  encoding: TextEncoding,
): Promise<InputText> {
  let head = '';
  while (head.length < HEAD_CHARACTERS) {
    const { value, done } = await chunks.next();
    if (done) break;
    head += value;
  }
  return {
    encoding,
    head,
    chunks: prepend(head ? [head] : [], chunks),
    cancel: async () => void (await chunks.return(undefined)),
  };
}
