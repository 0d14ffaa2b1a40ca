import { addAbortSignal, type Readable } from 'node:stream';

/** What a stream gives, up to the moment in which a signal is aborted: then it ends with the signal's reason. */
export async function* abortable(stream: NodeJS.ReadableStream, signal: AbortSignal): AsyncGenerator<string | Buffer> {
  try {
    for await (const chunk of addAbortSignal(signal, stream as Readable)) yield chunk;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
