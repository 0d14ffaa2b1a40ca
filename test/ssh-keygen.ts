import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether OpenSSH's program for keys and signatures is installed. It has no flag for a version. */
export const hasSshKeygen = spawnSync('ssh-keygen', ['-l', '-f', '/dev/null']).error === undefined;

/** Creates a key without a passphrase. Returns its path and its public part. */
export function createKey(folder: string, name: string) {
  const path = join(folder, name);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', `${name}@laptop`, '-f', path]);
  const [type = '', key = ''] = readFileSync(`${path}.pub`, 'utf8').split(' ');
  return { path, publicKey: `${type} ${key}` };
}

/** Signs a text with a key. */
export function signText(key: string, text: string, namespace: string): string {
  const words = ['-q', '-Y', 'sign', '-n', namespace, '-f', key];
  return execFileSync('ssh-keygen', words, { input: text, encoding: 'utf8', stdio: 'pipe' });
}
