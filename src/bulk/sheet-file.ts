import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { closeAfter } from '../kernel/resource.ts';
import type { FileFingerprint, InputBytes } from './input-bytes.ts';
import { rejectCompressed } from './source/decode.ts';
import type { RecordLayout, SourceRequest } from './source/record-layout.ts';
import { InputError, type Source } from './source/source.ts';
import {
  createSpreadsheetError,
  hasOldSpreadsheetSignature,
  hasZipSignature,
} from './source/spreadsheet.ts';
import type { TextEncoding } from './source/text-encoding.ts';
import type { SheetCache } from './source/xlsx/sheet-source.ts';

/** Excel recognizes UTF-8 in a CSV file by its byte order mark. */
const REJECTS_ENCODING: TextEncoding = { name: 'utf-8', hasMark: true };
const SIGNATURE_BYTES = 4;
/**
 * Data of open workbooks by the SHA-256 of their files. Prompts and the check open the same workbook one
 * after the other, and share its data.
 */
const caches = new Map<string, SheetCache>();

/** Whether a regular file is a ZIP archive, as .xlsx files are. */
export async function isZipFile(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  if (!file) return false;
  return closeAfter(file, async () => {
    const { buffer } = await file.read(Buffer.alloc(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, 0);
    return hasZipSignature(buffer);
  });
}

/**
 * Creates the input for a sheet of an .xlsx file. Each opening first reads all bytes, which fills
 * the copy of a pipe, and detects changes.
 */
export function createSheetFile(
  request: RecordLayout & Pick<SourceRequest, 'sheet' | 'signal'>,
  name: string,
  bytes: InputBytes,
) {
  let fingerprint: FileFingerprint | undefined;
  let [read, readPart] = [0, 0];
  let cache: SheetCache = {};
  const onRead = (part: number) => {
    readPart = part;
  };
  async function readBytes(): Promise<void> {
    const hash = createHash('sha256');
    [read, readPart] = [0, 0];
    for await (const chunk of bytes.read()) {
      if (read === 0) requireWorkbook(chunk, name);
      hash.update(chunk);
      read += chunk.length;
    }
    if (read === 0) throw new InputError(name, {}, 'the input is empty');
    const sha256 = hash.digest('hex');
    fingerprint ??= { bytes: read, sha256 };
    cache = caches.get(sha256) ?? cache;
    caches.set(sha256, cache);
  }
  return {
    name,
    format: 'xlsx' as const,
    path: bytes.path,
    spooled: bytes.isSpooled,
    get readProgress() {
      return { bytes: Math.floor(read * readPart), of: bytes.size };
    },
    async open(): Promise<Source> {
      await readBytes();
      const { openSheet } = await import('./source/xlsx/sheet-source.ts');
      return openSheet(bytes.path, { ...request, name, format: 'xlsx', onRead }, cache);
    },
    fingerprint(): FileFingerprint {
      if (!fingerprint) throw new TypeError(`${name} was not read to its end`);
      return fingerprint;
    },
    encoding: () => REJECTS_ENCODING,
    async discard(): Promise<void> {
      if (fingerprint) caches.delete(fingerprint.sha256);
      cache.data?.strings.close();
      await bytes.discard();
    },
  };
}

function requireWorkbook(head: Uint8Array, name: string): void {
  if (hasZipSignature(head)) return;
  if (hasOldSpreadsheetSignature(head)) throw createSpreadsheetError(name);
  rejectCompressed(head, name);
  throw new InputError(
    name,
    {},
    'the file is not an .xlsx file',
    'check that it is the right file, or set --input-format',
  );
}
