import { addAbortSignal, type Readable } from 'node:stream';

export async function* readUntilAborted(stream: NodeJS.ReadableStream, signal: AbortSignal) {
  try {
    for await (const chunk of addAbortSignal(signal, stream as Readable)) yield chunk;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
