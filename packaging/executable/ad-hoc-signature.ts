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
/** Made by no identity, and by a linker, so that `codesign` replaces it without being forced. */
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
  /** Where the content of its sections begins in the file. */
  readonly sections: readonly number[];
}

/**
 * A 64-bit Mach-O executable without a signature, signed in nobody's name: hashes of its pages, by which macOS sees that
 * it is whole. Nothing runs on Apple's processors without that. Throws where there is no room for it.
 */
export function signedAdHoc(unsigned: Uint8Array, identifier: string): Buffer {
  const codeSize = aligned(unsigned.length);
  const pages = Math.ceil(codeSize / PAGE);
  const hashesAt = DIRECTORY_SIZE + aligned(identifier.length + 1);
  const blobSize = INDEX_SIZE + hashesAt + pages * HASH_SIZE;
  const file = Buffer.alloc(codeSize + aligned(blobSize));
  file.set(unsigned);
  const text = announceSignature(file, { unsignedSize: unsigned.length, codeSize });
  const signature = file.subarray(codeSize);
  words(signature, 0, [SUPER_BLOB, blobSize, 1, 0, INDEX_SIZE]);
  const directory = signature.subarray(INDEX_SIZE);
  const counts = [hashesAt, DIRECTORY_SIZE, 0, pages, codeSize];
  words(directory, 0, [CODE_DIRECTORY, blobSize - INDEX_SIZE, 0x20400, ADHOC_BY_LINKER, ...counts]);
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

/** Tells the header of a file with room at its end of the signature there; its last segment takes it in. */
function announceSignature(
  file: Buffer,
  { unsignedSize, codeSize }: { unsignedSize: number; codeSize: number },
): Segment {
  const { commands, segments, end } = readHeader(file);
  const text = segments.find(({ name }) => name === '__TEXT');
  const last = segments.find(({ name }) => name === '__LINKEDIT');
  if (!text || !last) throw new Error('it lacks a segment that every executable of macOS has');
  if (last.offset + last.size !== BigInt(unsignedSize)) throw new Error('its last segment does not end with the file');
  const content = Math.min(...segments.flatMap(({ sections }) => sections));
  if (end + SIGNATURE_COMMAND_SIZE > content) throw new Error('its header has no room for a signature');
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
  if (file.readUInt32LE(0) !== MAGIC_64) throw new Error('it is no 64-bit executable of macOS');
  const commands = file.readUInt32LE(16);
  const segments: Segment[] = [];
  let at = HEADER_SIZE;
  for (let command = 0; command < commands; command += 1) {
    const kind = file.readUInt32LE(at);
    if (kind === CODE_SIGNATURE) throw new Error('it has a signature');
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
    // What is all zeros has no place in the file.
    sections: sections.filter((offset) => offset > 0),
  };
}

function words(buffer: Buffer, at: number, values: readonly number[]): void {
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value, at + index * 4);
}

const aligned = (size: number) => Math.ceil(size / 16) * 16;
