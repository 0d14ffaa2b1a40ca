import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, readlink, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { hint, SvcError, step } from '../kernel/errors.ts';
import { type Environment, resolveHomeFolder } from '../kernel/folders.ts';
import { currentPlatform, userId } from '../kernel/process.ts';

const PROGRAM = currentPlatform === 'win32' ? 'ssh-keygen.exe' : 'ssh-keygen';

interface Finished {
  /** Exit code; null if a signal ended the program. */
  readonly code: number | null;
  readonly stdout: string;
  /** Messages of the program, which the user does not see. */
  readonly stderr: string;
}

interface KeygenContext {
  readonly environment: Environment;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

interface KeygenInput {
  /** Absolute path of the program (default: the first trusted one on the path). */
  readonly program?: string;
  readonly stdin?: string;
}

/**
 * Runs OpenSSH's `ssh-keygen`, which makes and checks all signatures.
 * @throws SvcError `approval_required` if the program cannot be started
 */
export async function runSshKeygen(
  { environment, cwd, signal }: KeygenContext,
  words: readonly string[],
  { program, stdin = '' }: KeygenInput = {},
): Promise<Finished> {
  const path = program ?? (await findSshKeygen({ environment }));
  if (!(await isTrustedPath(path)))
    throw new SvcError(
      'approval_required',
      `${path} is missing, or others can replace it; nothing was sent`,
    );
  const env = { ...environment, LC_ALL: 'C' };
  try {
    const child = spawn(path, words, { cwd, env, stdio: 'pipe', signal });
    const ended = once(child, 'close') as Promise<[number | null]>;
    // Ignores write errors: the program may exit without reading its input.
    child.stdin.on('error', () => undefined).end(stdin);
    const [[code], stdout, stderr] = await Promise.all([
      ended,
      text(child.stdout),
      text(child.stderr),
    ]);
    return { code, stdout, stderr };
  } catch (error) {
    signal.throwIfAborted();
    throw new SvcError('approval_required', `${path} could not be started; nothing was sent`, {
      hint: INSTALL_HINT,
      cause: error,
    });
  }
}

/** Folders of programs if the environment names none. */
const DEFAULT_PATH = '/usr/bin:/bin';

const INSTALL_HINT = 'install OpenSSH 8.2 or later, which makes and checks the signatures';

/**
 * Returns the absolute path of the first `ssh-keygen` on the path that no other user can replace.
 * @throws SvcError `approval_required` if no such program was found
 */
export async function findSshKeygen({
  environment,
}: Pick<KeygenContext, 'environment'>): Promise<string> {
  const folders = (environment['PATH'] ?? DEFAULT_PATH).split(delimiter).filter(isAbsolute);
  for (const folder of folders) {
    const path = join(folder, PROGRAM);
    if (await isTrustedPath(path)) return path;
  }
  throw new SvcError('approval_required', `${PROGRAM} was not found; nothing was sent`, {
    hint: INSTALL_HINT,
  });
}

export interface KeyDescription {
  /** `SHA256:` and the hash of the public key. */
  readonly fingerprint: string;
  /** Type of the key as ssh-keygen prints it: `ED25519`, `ED25519-SK`. */
  readonly keyType: string;
}

/** Describes the key in a file; undefined if the file is not a key. */
export async function describeKey(
  context: KeygenContext,
  path: string,
): Promise<KeyDescription | undefined> {
  const { stdout } = await runSshKeygen(context, ['-l', '-f', path]);
  const { fingerprint, keyType } =
    /^\d+ (?<fingerprint>SHA256:\S+) .*\((?<keyType>[\w-]+)\)\n/.exec(stdout)?.groups ?? {};
  return fingerprint && keyType ? { fingerprint, keyType } : undefined;
}

/** Names of keys in `~/.ssh`, those in hardware first. */
const DEFAULT_KEYS = ['id_ed25519_sk', 'id_ecdsa_sk', 'id_ed25519', 'id_ecdsa', 'id_rsa'];

/** @throws SvcError `usage` if no key was given, and `~/.ssh` contains none */
export async function findSigningKey(
  { cwd, environment }: Pick<KeygenContext, 'cwd' | 'environment'>,
  given?: string,
): Promise<string> {
  if (given !== undefined) return resolve(cwd, given);
  const folder = join(resolveHomeFolder(environment), '.ssh');
  for (const name of DEFAULT_KEYS) {
    const path = join(folder, name);
    if (await stat(path).catch(() => undefined)) return path;
  }
  throw new SvcError('usage', `${folder} contains no SSH key; nothing was signed`, {
    hint: hint`create one with ssh-keygen, or name another one: ${step('inspect', 'approve', '--help')}`,
  });
}

/** File modes: other users can write, and can replace only their own files. */
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/** Most symbolic links that a path may contain. */
const MAX_LINKS = 40;

/**
 * Whether a regular file exists, and no other user but root can change or replace it: it, the folders
 * above, and the symbolic links among them belong to this user or root, and others can write to none
 * of them. A folder of root may have the sticky bit instead.
 */
async function isTrustedPath(path: string): Promise<boolean> {
  try {
    if (currentPlatform === 'win32') return (await stat(path)).isFile();
    let [at, links] = ['/', 0];
    for (const names = ['', ...path.split('/')]; names.length > 0; ) {
      const next = join(at, names.shift() ?? '');
      const status = await lstat(next);
      if (status.uid !== 0 && status.uid !== userId) return false;
      if (status.isSymbolicLink()) {
        links += 1;
        if (links > MAX_LINKS) return false;
        const target = await readlink(next);
        names.unshift(...target.split('/'));
        if (isAbsolute(target)) at = '/';
        continue;
      }
      const isSticky = status.isDirectory() && status.uid === 0 && (status.mode & STICKY) !== 0;
      if ((status.mode & OTHERS_WRITE) !== 0 && !isSticky) return false;
      if (!status.isDirectory()) return names.length === 0 && status.isFile();
      at = next;
    }
    return false;
  } catch {
    return false;
  }
}
