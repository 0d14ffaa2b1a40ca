import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadClientCertificate } from '../../../src/commands/connection/client-certificate.ts';
import { borrowAuthority, PASSPHRASE, writeClientFiles } from '../../client/certificates.ts';
import { SLOW } from '../../slow.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';
import { fakeContext } from '../fake-context.ts';

async function createFolder() {
  const cwd = await createTemporaryFolder();
  await writeClientFiles(await borrowAuthority(), cwd);
  return cwd;
}

/** Loads the certificate of the settings, which come from the flags of these names. */
async function load(
  cwd: string,
  settings: Readonly<Record<string, string>>,
  answers?: readonly string[],
) {
  const context = await fakeContext({ cwd, ...(answers && { answers }) });
  const sourced = Object.entries(settings).map(([name, value]) => [
    name,
    { value, source: `the source of ${name}` },
  ]);
  const loading = loadClientCertificate(context, Object.fromEntries(sourced));
  return { context, result: await loading.catch((error: unknown) => error) };
}

describe('a client certificate', () => {
  it('is absent without the settings', async () => {
    expect((await load('.', {})).result).toBeUndefined();
  });

  it('prompts for the passphrase until it is right, once per command', async () => {
    const cwd = await createFolder();
    const context = await fakeContext({ cwd, answers: ['wrong', PASSPHRASE] });
    const clientCert = { value: 'client.p12', source: 'flag --client-cert' };
    const first = await loadClientCertificate(context, { clientCert });
    expect(first).toMatchObject({ passphrase: PASSPHRASE });
    expect(await loadClientCertificate(context, { clientCert })).toBe(first);
    expect(context.questions).toEqual(['Passphrase of client.p12', 'Passphrase of client.p12']);
    expect(context.stderr()).toBe('warning: the passphrase of client.p12 is wrong\n');
  });

  it('does not prompt if the settings contain a wrong passphrase', async () => {
    const cwd = await createFolder();
    const settings = { clientCert: 'both.pem', clientKeyPassphrase: 'wrong-passphrase-1' };
    const { result, context } = await load(cwd, settings, []);
    expect(result).toMatchObject({
      failure: 'invalid_input',
      message: 'the passphrase of both.pem is wrong',
    });
    expect([context.questions, context.stderr()]).toEqual([[], '']);
  });

  it.each([
    [
      'a key without a certificate',
      { clientKey: 'client.key' },
      'usage',
      'the source of clientKey requires a client certificate',
    ],
    [
      'a certificate without a key',
      { clientCert: 'client.pem' },
      'no_credential',
      'client.pem contains no private key',
    ],
    [
      'a PKCS#12 file with a separate key',
      { clientCert: 'client.p12', clientKey: 'client.key' },
      'usage',
      'client.p12 is not a PEM file, but a key is set',
    ],
    [
      'an encrypted key without a passphrase',
      { clientCert: 'client.pem', clientKey: 'locked.key' },
      'no_credential',
      'locked.key is encrypted, and its passphrase is not set',
    ],
    [
      'a PKCS#12 file without a passphrase',
      { clientCert: 'client.p12' },
      'no_credential',
      'client.p12 is encrypted, and its passphrase is not set',
    ],
    [
      'the key of another certificate',
      { clientCert: 'client.pem', clientKey: 'other.key' },
      'invalid_input',
      'the private key other.key does not belong to the certificate client.pem',
    ],
    [
      'a damaged key',
      { clientCert: 'client.pem', clientKey: 'damaged.key' },
      'invalid_input',
      'damaged.key contains no valid private key',
    ],
    [
      'a key instead of a certificate',
      { clientCert: 'client.key' },
      'invalid_input',
      'client.key contains no valid certificate in PEM or PKCS#12 format',
    ],
    [
      'another file',
      { clientCert: 'note.txt' },
      'invalid_input',
      'note.txt contains no valid certificate in PEM or PKCS#12 format',
    ],
    [
      'an outdated PKCS#12 file',
      { clientCert: 'old.p12', clientKeyPassphrase: PASSPHRASE },
      'invalid_input',
      'old.p12 uses an outdated encryption',
    ],
    ['a missing file', { clientCert: 'missing.pem' }, 'usage', 'file not found: missing.pem'],
  ])('from %s is rejected', SLOW, async (_, settings, failure, message) => {
    const cwd = await createFolder();
    const other = await borrowAuthority();
    await writeFile(join(cwd, 'other.key'), (await other.issue('DNS:x.example.test')).key);
    const damaged = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n';
    await writeFile(join(cwd, 'damaged.key'), damaged);
    await writeFile(join(cwd, 'note.txt'), 'a note');
    const pair = ['-in', 'client.pem', '-inkey', 'client.key', '-passout', `pass:${PASSPHRASE}`];
    execFileSync('openssl', ['pkcs12', '-export', '-legacy', ...pair, '-out', 'old.p12'], { cwd });
    const { result } = await load(cwd, settings);
    expect(result).toMatchObject({ failure, message });
  });
});
