import { createHash } from 'node:crypto';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { signAdHoc } from '../../packaging/executable/ad-hoc-signature.ts';

/**
 * `int main() { return 0; }` for macOS on arm64, as LLVM's linker
 * (`-flavor darwin -adhoc_codesign`) writes and signs it.
 */
const LINKED = brotliDecompressSync(
  Buffer.from(
    [
      'G79BEZWaJwB+JNiNOe8QB9GSIYoYtQjg69Cft0kq+ghiS/JE6Fh/MRna/fPp7//iVH7PAImGYYNPmsDB6NrnuRiFcO0WcQEWuIwFrJ6aXvvG',
      'gRD7NbI7Pvq/ESBCOmyImKsAyImGiOONgsXdi6mASwDI6diAOF5DuEIOqImDqKkmIUEAENtoBsiJvI7MFLbHIwKARDMAPcq/U4w2aluuScDl',
      'AJy3S0AAQCFmVKB616QCIuRAjZokYICvX2q0BABEwmeAf5EOBZAG5ceOHlV+yMBe5ftMHNIHkBs50LRp3Rft2lWsu7NW5ttFn59rWgkFEEAa',
      'pBGQiChkU4IZOfA6AgDSoAZyAAgI9UUo3IlW7XJ9Jlr6AsWQARVqkgIlD9QgIS/sqF/gMX61aQBmtL6cEL+kHCGWJOIT8CkYDx0Q81goxA22',
      'YglexyQADKAkQvpg5l7NKUQGtEmBQAAoIK4jjp874tFjxvaK6TCEWxUX3guA/z+6TCiAAMjhg+gDTyFKJBJhADoCkqi5o0AkDYXWRIbR43r7',
      'DgXe0AOnj2wo/1PLks32DBpSIv2WTyv+67Tt8aGM8+sMH99w3a8H2n+04/CbX/tdTnz15MngSMekpxyfMmnu2wuLGy4ssytm8YuFxd/8Xijd',
      'y8kt4sJptv45+FrD3icrH73Qq8vOB6XXttmTFQ==',
    ].join(''),
    'base64',
  ),
);

interface Command {
  readonly kind: number;
  readonly at: number;
}

function commandsOf(file: Buffer): readonly Command[] {
  const commands: Command[] = [];
  let at = 32;
  for (let left = file.readUInt32LE(16); left > 0; left -= 1) {
    commands.push({ kind: file.readUInt32LE(at), at });
    at += file.readUInt32LE(at + 4);
  }
  return commands;
}

const segmentOf = (file: Buffer, name: string) =>
  commandsOf(file).find(
    ({ kind, at }) => kind === 0x19 && file.toString('latin1', at + 8, at + 24).startsWith(name),
  )?.at ?? Number.NaN;

/** Parses a signature, and finds pages whose hash does not match. */
function readSignature(file: Buffer) {
  const command = commandsOf(file).find(({ kind }) => kind === 0x1d)?.at ?? Number.NaN;
  const [offset, size] = [file.readUInt32LE(command + 8), file.readUInt32LE(command + 12)];
  const blob = file.subarray(offset, offset + size);
  const directory = blob.subarray(blob.readUInt32BE(16));
  const word = (at: number) => directory.readUInt32BE(at);
  const [hashesAt, nameAt, pages, codeSize] = [word(16), word(20), word(28), word(32)];
  const digests = Array.from({ length: pages }, (_, page) =>
    createHash('sha256')
      .update(file.subarray(page * 4096, Math.min((page + 1) * 4096, codeSize)))
      .digest('hex'),
  );
  const isHashed = (digest: string, page: number) =>
    directory.toString('hex', hashesAt + page * 32, hashesAt + (page + 1) * 32) === digest;
  return {
    end: offset + size,
    codeSize,
    pages,
    offset,
    frame: blob.subarray(0, blob.readUInt32BE(16) + hashesAt).toString('hex'),
    name: directory.toString('latin1', nameAt, directory.indexOf(0, nameAt)),
    wrong: digests.flatMap((digest, page) => (isHashed(digest, page) ? [] : [page])),
  };
}

/** Removes the signature from the file. */
function unsigned(signed: Buffer): Buffer {
  const command = commandsOf(signed).at(-1)?.at ?? Number.NaN;
  const file = Buffer.from(signed.subarray(0, signed.readUInt32LE(command + 8)));
  file.fill(0, command, command + 16);
  file.writeUInt32LE(file.readUInt32LE(16) - 1, 16);
  file.writeUInt32LE(file.readUInt32LE(20) - 16, 20);
  const last = segmentOf(file, '__LINKEDIT');
  file.writeBigUInt64LE(BigInt(file.length) - file.readBigUInt64LE(last + 40), last + 48);
  return file;
}

describe('an ad hoc signature', () => {
  it("equals the signature of LLVM's linker", () => {
    const theirs = readSignature(LINKED);
    expect(theirs).toMatchObject({ name: 'svc', wrong: [], end: LINKED.length });
    expect(readSignature(signAdHoc(unsigned(LINKED), 'svc'))).toEqual(theirs);
  });

  it('covers every preceding byte, and is part of the last segment', () => {
    const file = signAdHoc(unsigned(LINKED), 'another.name');
    const { pages, codeSize, end } = readSignature(file);
    expect({ pages, end }).toEqual({ pages: Math.ceil(codeSize / 4096), end: file.length });
    const last = segmentOf(file, '__LINKEDIT');
    expect(Number(file.readBigUInt64LE(last + 40) + file.readBigUInt64LE(last + 48))).toBe(
      file.length,
    );
    expect(file.readBigUInt64LE(last + 32)).toBeGreaterThanOrEqual(file.readBigUInt64LE(last + 48));
    for (const at of [4, 16_000, codeSize - 1]) {
      const changed = Buffer.from(file);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(readSignature(changed).wrong).toEqual([Math.floor(at / 4096)]);
    }
  });

  it('is rejected for signed files, other files, and headers without room', () => {
    expect(() => signAdHoc(LINKED, 'svc')).toThrow('already signed');
    expect(() => signAdHoc(Buffer.from('\x7fELF'.padEnd(64, '\0'), 'latin1'), 'svc')).toThrow(
      'not a 64-bit macOS executable',
    );
    const long = Buffer.concat([unsigned(LINKED), Buffer.alloc(16)]);
    expect(() => signAdHoc(long, 'svc')).toThrow('does not end at the end of the file');
    const full = unsigned(LINKED);
    const text = segmentOf(full, '__TEXT');
    const end = commandsOf(full).reduce(
      (last, { at }) => Math.max(last, at + full.readUInt32LE(at + 4)),
      0,
    );
    full.writeUInt32LE(end + 8, text + 72 + 48);
    expect(() => signAdHoc(full, 'svc')).toThrow('no room');
  });
});
