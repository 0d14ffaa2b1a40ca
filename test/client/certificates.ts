import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const run = promisify(execFile);
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

interface KeyPair {
  readonly key: string;
  readonly cert: string;
}

/** A private certificate authority, created with OpenSSL, and the certificates that it signs. */
export interface Authority {
  /** The path of the authority's own certificate. */
  readonly file: string;
  /**
   * Returns the key and certificate of `name` (`DNS:localhost`, `IP:127.0.0.1`), valid for the
   * given number of days: the same pair each time, also in later tests.
   */
  issue(name: string, days?: number): Promise<KeyPair>;
}

/**
 * Authorities that earlier tests in this process no longer use. Creating one takes longer than many
 * tests.
 */
const idle: Authority[] = [];

/**
 * Returns an authority, another one for each call in a test. Later tests use it, too, so do not
 * change its files.
 */
export async function borrowAuthority(): Promise<Authority> {
  const authority = idle.pop() ?? (await createAuthority());
  onTestFinished(() => void idle.push(authority));
  return authority;
}

/** Creates an authority in the folder of the test run. */
async function createAuthority(): Promise<Authority> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-authority-'));
  const [file, caKey] = [join(folder, 'ca.pem'), join(folder, 'ca.key')];
  const owner = ['-subj', '/CN=an authority', '-days', '2'];
  await run('openssl', ['req', '-x509', ...KEY, '-keyout', caKey, '-out', file, ...owner]);
  let serial = 0;
  const sign = async (name: string, days: number): Promise<KeyPair> => {
    serial += 1;
    const at = join(folder, String(serial));
    const [key, csr, cert] = [`${at}.key`, `${at}.csr`, `${at}.pem`] as const;
    const subject = ['-subj', '/CN=a server', '-addext', `subjectAltName=${name}`];
    await run('openssl', ['req', ...KEY, '-keyout', key, '-out', csr, ...subject]);
    const signer = ['-CA', file, '-CAkey', caKey, '-days', String(days)];
    const request = ['-req', '-in', csr, '-copy_extensions', 'copy'];
    await run('openssl', ['x509', ...request, ...signer, '-out', cert]);
    return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
  };
  const issued = new Map<string, KeyPair>();
  return {
    file,
    issue: async (name, days = 1) => {
      const pair = issued.get(`${name} ${days}`) ?? (await sign(name, days));
      issued.set(`${name} ${days}`, pair);
      return pair;
    },
  };
}

export const PASSPHRASE = 'open sesame äöü';

/**
 * Writes a client certificate into a folder: `client.pem` and `client.key`, the encrypted
 * `locked.key`, both in one file as `both.pem`, and as `client.p12`. The last two and `locked.key`
 * have the passphrase.
 */
export async function writeClientFiles(authority: Authority, folder: string): Promise<void> {
  const { key, cert } = await authority.issue('DNS:client.example.test');
  const at = (name: string) => join(folder, name);
  await writeFile(at('client.pem'), cert);
  await writeFile(at('client.key'), key);
  const secret = `pass:${PASSPHRASE}`;
  const locked = ['-in', at('client.key'), '-out', at('locked.key'), '-passout', secret];
  await run('openssl', ['pkcs8', '-topk8', ...locked]);
  await writeFile(at('both.pem'), cert + (await readFile(at('locked.key'), 'utf8')));
  const pair = ['-in', at('client.pem'), '-inkey', at('client.key')];
  await run('openssl', [
    'pkcs12',
    '-export',
    ...pair,
    '-out',
    at('client.p12'),
    '-passout',
    secret,
  ]);
}
