import { createHash } from 'node:crypto';

// Values from Apple's headers `mach-o/loader.h` and `kern/cs_blobs.h`.
const MAGIC_64 = 0xfeedfacf;
const HEADER_SIZE = 32;
const SEGMENT = 0x19;
const CODE_SIGNATURE = 0x1d;
const SIGNATURE_COMMAND_SIZE = 16;
const SUPER_BLOB = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
const DIRECTORY_SIZE = 88;
const INDEX_SIZE = 24;
/** Flags of an ad hoc signature by a linker, which `codesign` replaces without `--force`. */
const ADHOC_BY_LINKER = 0x20002;
const MAIN_BINARY = 1n;
const HASH_SIZE = 32;
const PAGE_BITS = 12;
const PAGE = 1 << PAGE_BITS;
const MEMORY_PAGE = 0x4000n;

interface Segment {
  readonly at: number;
  readonly name: string;
  readonly offset: bigint;
  readonly size: bigint;
  /** File offsets of the sections' content. */
  readonly sections: readonly number[];
}

/**
 * Signs a 64-bit Mach-O executable ad hoc, without an identity: adds hashes of its pages, which
 * Apple silicon requires of every executable.
 * @throws Error if the header has no room for the signature
 */
export function signAdHoc(unsigned: Uint8Array, identifier: string): Buffer {
  const codeSize = align(unsigned.length);
  const pages = Math.ceil(codeSize / PAGE);
  const hashesAt = DIRECTORY_SIZE + align(identifier.length + 1);
  const blobSize = INDEX_SIZE + hashesAt + pages * HASH_SIZE;
  const file = Buffer.alloc(codeSize + align(blobSize));
  file.set(unsigned);
  const text = writeSignatureCommand(file, { unsignedSize: unsigned.length, codeSize });
  const signature = file.subarray(codeSize);
  writeWords(signature, 0, [SUPER_BLOB, blobSize, 1, 0, INDEX_SIZE]);
  const directory = signature.subarray(INDEX_SIZE);
  const counts = [hashesAt, DIRECTORY_SIZE, 0, pages, codeSize];
  writeWords(directory, 0, [
    CODE_DIRECTORY,
    blobSize - INDEX_SIZE,
    0x20400,
    ADHOC_BY_LINKER,
    ...counts,
  ]);
  directory.set([HASH_SIZE, 2, 0, PAGE_BITS], 36);
  directory.writeBigUInt64BE(text.offset, 64);
  directory.writeBigUInt64BE(text.size, 72);
  directory.writeBigUInt64BE(MAIN_BINARY, 80);
  directory.write(identifier, DIRECTORY_SIZE, 'latin1');
  for (let page = 0; page < pages; page += 1) {
    const bytes = file.subarray(page * PAGE, Math.min((page + 1) * PAGE, codeSize));
    createHash('sha256')
      .update(bytes)
      .digest()
      .copy(directory, hashesAt + page * HASH_SIZE);
  }
  return file;
}

/** Adds the signature at the end of the file to the header and to the last segment. */
function writeSignatureCommand(
  file: Buffer,
  { unsignedSize, codeSize }: { unsignedSize: number; codeSize: number },
): Segment {
  const { commands, segments, end } = readHeader(file);
  const text = segments.find(({ name }) => name === '__TEXT');
  const last = segments.find(({ name }) => name === '__LINKEDIT');
  if (!text || !last)
    throw new Error('the executable lacks a segment that every macOS executable has');
  if (last.offset + last.size !== BigInt(unsignedSize))
    throw new Error('the last segment does not end at the end of the file');
  const content = Math.min(...segments.flatMap(({ sections }) => sections));
  if (end + SIGNATURE_COMMAND_SIZE > content)
    throw new Error('the header has no room for a signature');
  const size = BigInt(file.length) - last.offset;
  file.writeBigUInt64LE(size, last.at + 48);
  file.writeBigUInt64LE(((size + MEMORY_PAGE - 1n) / MEMORY_PAGE) * MEMORY_PAGE, last.at + 32);
  file.writeUInt32LE(commands + 1, 16);
  file.writeUInt32LE(end + SIGNATURE_COMMAND_SIZE - HEADER_SIZE, 20);
  const command = [CODE_SIGNATURE, SIGNATURE_COMMAND_SIZE, codeSize, file.length - codeSize];
  for (const [index, value] of command.entries()) file.writeUInt32LE(value, end + index * 4);
  return text;
}

function readHeader(file: Buffer): { commands: number; segments: readonly Segment[]; end: number } {
  if (file.readUInt32LE(0) !== MAGIC_64)
    throw new Error('the file is not a 64-bit macOS executable');
  const commands = file.readUInt32LE(16);
  const segments: Segment[] = [];
  let at = HEADER_SIZE;
  for (let command = 0; command < commands; command += 1) {
    const kind = file.readUInt32LE(at);
    if (kind === CODE_SIGNATURE) throw new Error('the executable is already signed');
    if (kind === SEGMENT) segments.push(segmentAt(file, at));
    at += file.readUInt32LE(at + 4);
  }
  return { commands, segments, end: at };
}

function segmentAt(file: Buffer, at: number): Segment {
  const sections = Array.from({ length: file.readUInt32LE(at + 64) }, (_, index) =>
    file.readUInt32LE(at + 72 + index * 80 + 48),
  );
  return {
    at,
    name: file.toString('latin1', at + 8, at + 24).replace(/\0+$/, ''),
    offset: file.readBigUInt64LE(at + 40),
    size: file.readBigUInt64LE(at + 48),
    // Zero-filled sections have no content in the file.
    sections: sections.filter((offset) => offset > 0),
  };
}

function writeWords(buffer: Buffer, at: number, values: readonly number[]): void {
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value, at + index * 4);
}

const align = (size: number) => Math.ceil(size / 16) * 16;
