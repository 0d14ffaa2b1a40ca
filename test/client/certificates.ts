import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTemporaryFolder } from '../temporary-folder.ts';

const run = promisify(execFile);
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** A private certificate authority, created with OpenSSL, and the certificates that it signs. */
export interface Authority {
  /** The path of the authority's own certificate. */
  readonly file: string;
  /**
   * Creates the key and certificate of `name` (`DNS:localhost`, `IP:127.0.0.1`), valid for the
   * given number of days.
   */
  issue(name: string, days?: number): Promise<{ readonly key: string; readonly cert: string }>;
}

export async function newAuthority(): Promise<Authority> {
  const folder = await createTemporaryFolder();
  const [file, key] = [join(folder, 'ca.pem'), join(folder, 'ca.key')];
  await run('openssl', [
    'req',
    '-x509',
    ...KEY,
    '-keyout',
    key,
    '-out',
    file,
    '-subj',
    '/CN=an authority',
    '-days',
    '2',
  ]);
  let serial = 0;
  return {
    file,
    async issue(name, days = 1) {
      serial += 1;
      const at = (ending: string) => join(folder, `${serial}.${ending}`);
      const request = [
        '-keyout',
        at('key'),
        '-out',
        at('csr'),
        '-subj',
        '/CN=a server',
        '-addext',
        `subjectAltName=${name}`,
      ];
      await run('openssl', ['req', ...KEY, ...request]);
      const signed = [
        '-CA',
        file,
        '-CAkey',
        key,
        '-days',
        String(days),
        '-copy_extensions',
        'copy',
        '-out',
        at('pem'),
      ];
      await run('openssl', ['x509', '-req', '-in', at('csr'), ...signed]);
      return { key: await readFile(at('key'), 'utf8'), cert: await readFile(at('pem'), 'utf8') };
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
