import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCertificates } from '../../../src/commands/connection/ca-file.ts';
import { borrowAuthority } from '../../client/certificates.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';

async function fileWith(text: string) {
  const cwd = await createTemporaryFolder();
  await writeFile(join(cwd, 'ca.pem'), text);
  return readCertificates('ca.pem', { cwd, signal: new AbortController().signal });
}

describe('a file of certificates', () => {
  it('yields all certificates and drops the text around them', async () => {
    const [one, two] = await Promise.all([borrowAuthority(), borrowAuthority()]);
    const texts = await Promise.all([one, two].map(({ file }) => readFile(file, 'utf8')));
    const key = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n';
    expect(await fileWith(`# ours\r\n${texts[0]}${key}\n${texts[1]}`)).toBe(
      texts.map((text) => text.trim()).join('\n'),
    );
  });

  it.each([
    ['empty', ''],
    ['binary', '\0\x01\xff'],
    ['of another kind', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'],
    ['damaged', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'],
    ['cut', '-----BEGIN CERTIFICATE-----\nMIIB'],
  ])('that is %s is rejected as bad data', async (_, text) => {
    await expect(fileWith(text)).rejects.toMatchObject({
      failure: 'invalid_input',
      message: /^--ca-file: /,
    });
  });

  it('that does not exist is a usage error', async () => {
    const cwd = await createTemporaryFolder();
    const { signal } = new AbortController();
    await expect(readCertificates('nope.pem', { cwd, signal })).rejects.toMatchObject({
      failure: 'usage',
    });
  });
});
