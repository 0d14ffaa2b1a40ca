import { X509Certificate } from 'node:crypto';
import { SvcError } from '../../kernel/errors.ts';
import { readNamedFile } from '../../kernel/named-file.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The certificates of a PEM file, as text.
 * @throws SvcError `usage` when there is no such file, `bad_data` when it holds no certificate, or a damaged one
 */
export async function readCertificates(file: string, cwd: string): Promise<string> {
  const text = (await readNamedFile(file, cwd)).toString('latin1');
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) {
    throw new SvcError('bad_data', `--ca-file: ${file} holds no certificate`, {
      hint: 'it has to be PEM, with -----BEGIN CERTIFICATE----- lines; openssl x509 -inform der converts others',
    });
  }
  for (const [at, certificate] of certificates.entries()) check(certificate, `certificate ${at + 1} of ${file}`);
  return certificates.join('\n');
}

function check(certificate: string, name: string): void {
  try {
    new X509Certificate(certificate);
  } catch (error) {
    throw new SvcError('bad_data', `--ca-file: ${name} is damaged`, {
      hint: 'get the file again from whoever runs the service',
      cause: error,
    });
  }
}
