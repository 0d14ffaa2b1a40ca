import { createHash } from 'node:crypto';
import { SvcError, systemErrorCode } from '../kernel/errors.ts';
import { readRegularFile } from '../kernel/read-file.ts';

/** A key that may approve plans: a line of a file in the format of `ssh-keygen -Y verify`. */
export interface Signer {
  /** Names of the signer, separated by commas: `ada@example.com`. */
  readonly principals: string;
  /** Type of the key: `ssh-ed25519`, `sk-ssh-ed25519@openssh.com`. */
  readonly keyType: string;
  readonly key: string;
}

/** The content of a file of allowed signers. */
export interface Signers {
  readonly text: string;
  readonly sha256: string;
  readonly signers: readonly Signer[];
}

const MAX_BYTES = 256 * 1024;
const MAX_LINE = 16 * 1024;

/**
 * Reads a file of allowed signers.
 * @throws SvcError `approval_required` if it cannot be read, or if a line is not a signer
 */
export async function readSigners(path: string): Promise<Signers> {
  const bytes = await readRegularFile(path, MAX_BYTES).catch((error: unknown) => {
    const isMissing = systemErrorCode(error) === 'ENOENT';
    throw createSignersError(path, isMissing ? 'does not exist' : 'cannot be read', error);
  });
  const text = bytes.toString();
  const signers = parseSigners(text);
  if (typeof signers === 'number') throw createSignersError(path, `is damaged: line ${signers}`);
  return { text, sha256: createHash('sha256').update(bytes).digest('hex'), signers };
}

function createSignersError(path: string, problem: string, cause?: unknown): SvcError {
  const message = `the file of signers ${path} ${problem}; nothing was sent`;
  return new SvcError('approval_required', message, { cause });
}

/** Principals, options, key type, key, and comment. Quoted options can contain spaces. */
const LINE =
  /^(?<principals>"[^"]+"|\S+)(?:\s+\S.*?)?\s+(?<keyType>(?:sk-)?(?:ssh|ecdsa)-[\w@.-]+)\s+(?<key>AAAA[\w+/]+={0,2})(?:\s.*)?$/;

/**
 * Parses a file of allowed signers.
 * @returns the signers, or the number of the first line that is not valid
 */
function parseSigners(text: string): readonly Signer[] | number {
  const signers: Signer[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#.*)?$/.test(line)) continue;
    const parsed = line.length > MAX_LINE ? undefined : LINE.exec(line.trim())?.groups;
    const { principals = '', keyType = '', key = '' } = parsed ?? {};
    if (!startsWithType(key, keyType)) return at + 1;
    signers.push({ principals, keyType, key });
  }
  return signers.length > 0 ? signers : 1;
}

/** Whether a key has the type that its line names. The type is the first field of the key. */
function startsWithType(key: string, keyType: string): boolean {
  const bytes = Buffer.from(key, 'base64');
  const length = bytes.length < 4 ? 0 : bytes.readUInt32BE();
  return length > 0 && bytes.toString('latin1', 4, 4 + length) === keyType;
}

/**
 * Describes where a private key is stored. A key in hardware signs only after a touch.
 * @param keyType type of a line of signers, or the short name that ssh-keygen prints: `ED25519-SK`
 */
export function describeKeyStorage(keyType: string): string {
  return /^sk-|-SK$/.test(keyType) ? 'in hardware' : 'in a file';
}
