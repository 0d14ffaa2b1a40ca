import { findNamedFile } from '../../kernel/named-file.ts';
import { decompress, openFileStream, prepend, readStreamBytes } from './bytes.ts';
import { decodeText } from './decode.ts';
import { InputError } from './source.ts';

const HEAD_CHARACTERS = 4096;

export interface InputText {
  readonly head: string;
  readonly chunks: AsyncIterable<string>;
  cancel(): Promise<void>;
}

export interface InputTextRequest {
  readonly file: string;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadableStream;
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
  const bytes = file === '-' ? stdin : await openFileStream(await findNamedFile(file, cwd), signal);
  return { name, ...(await decodeInputText(readStreamBytes(bytes, name, signal), name)) };
}

export function inputName(file: string): string {
  return file === '-' ? 'stdin' : file;
}

/**
 * Decodes bytes as text, and decompresses them if needed.
 * @throws SvcError `invalid_input` if the bytes are not text, or if the text is empty, unless it may be
 */
export async function decodeInputText(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  mayBeEmpty = false,
): Promise<InputText> {
  const text = await readHead(decodeText(decompress(bytes, name), name));
  if (!mayBeEmpty && text.head.trim() === '')
    throw new InputError(name, {}, 'the input is empty', 'check that the export is complete');
  return text;
}

async function readHead(chunks: AsyncGenerator<string>): Promise<InputText> {
  let head = '';
  while (head.length < HEAD_CHARACTERS) {
    const { value, done } = await chunks.next();
    if (done) break;
    head += value;
  }
  return {
    head,
    chunks: prepend(head ? [head] : [], chunks),
    cancel: async () => void (await chunks.return(undefined)),
  };
}
