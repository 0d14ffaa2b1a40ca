import { findNamedFile } from '../../kernel/named-file.ts';
import { fileStream, readBytes, unpacked } from './bytes.ts';
import { decodeText } from './decode.ts';
import { InputError } from './record.ts';

/** Characters looked at to tell a format. */
const HEAD_CHARACTERS = 4096;

export interface Text {
  /** How it begins. */
  readonly head: string;
  /** All of it. */
  readonly chunks: AsyncIterable<string>;
  /** Ends a reading of which no chunk was asked for. */
  end(): Promise<void>;
}

/** Where a text is: a path, or `-` for stdin. */
export interface TextRequest {
  readonly file: string;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadableStream;
  readonly signal: AbortSignal;
}

/**
 * The text of a file or of stdin, and what messages call it.
 * @throws SvcError `usage` when there is no such file, `local` when it cannot be read, `bad_data` when it is empty or not
 * text.
 */
export async function openText({ file, cwd, stdin, signal }: TextRequest): Promise<Text & { readonly name: string }> {
  const name = nameOf(file);
  const bytes = file === '-' ? stdin : await fileStream(await findNamedFile(file, cwd), signal);
  return { name, ...(await readText(readBytes(bytes, name, signal), name)) };
}

/** What messages call a file. */
export function nameOf(file: string): string {
  return file === '-' ? 'stdin' : file;
}

/**
 * The text of bytes, unpacked where they are compressed.
 * @throws SvcError `bad_data` when it is not text, or when it is empty, unless that is `allowed`
 */
export async function readText(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  empty: 'refused' | 'allowed' = 'refused',
): Promise<Text> {
  const text = await peek(decodeText(unpacked(bytes, name), name));
  if (empty === 'refused' && text.head.trim() === '')
    throw new InputError(name, {}, 'it is empty', 'is the export complete?');
  return text;
}

async function peek(chunks: AsyncGenerator<string>): Promise<Text> {
  let head = '';
  let ended = false;
  while (head.length < HEAD_CHARACTERS && !ended) {
    const { value, done } = await chunks.next();
    if (done) ended = true;
    else head += value;
  }
  async function* again(): AsyncGenerator<string> {
    if (head) yield head;
    if (!ended) yield* chunks;
  }
  return { head, chunks: again(), end: async () => void (await chunks.return(undefined)) };
}
