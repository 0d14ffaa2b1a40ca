import { openOutputFile } from '../kernel/output-file.ts';
import type { RecordResult } from './batches.ts';
import type { LocateRecord } from './record-position.ts';

export type ResultsFile = Awaited<ReturnType<typeof openResultsFile>>;

/**
 * Opens the file for the results of all records as NDJSON, appended as outcomes become known.
 * @param kept bytes of earlier runs to keep; later bytes are written again
 */
export async function openResultsFile(
  path: string,
  locate: LocateRecord,
  kept: number | undefined,
  signal?: AbortSignal,
) {
  const existing = kept === undefined ? 'empty' : 'append';
  const file = await openOutputFile(path, { existing, signal });
  let bytes = kept === undefined ? 0 : await file.truncateTo(kept);
  const lineOf = ({
    record: { id, index, line, target },
    status: found,
    message,
    code,
    effect,
  }: RecordResult) => {
    const status = found === 'existing' ? 'skipped' : found;
    return `${JSON.stringify({ id, ...target?.data, ...locate(index, line), status, message, code, effect })}\n`;
  };
  return {
    get bytes() {
      return bytes;
    },
    async write(items: readonly RecordResult[]): Promise<void> {
      if (items.length === 0) return;
      const text = items.map(lineOf).join('');
      await file.write(text);
      bytes += Buffer.byteLength(text);
    },
    close: file.close,
  };
}
