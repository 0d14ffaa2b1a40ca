import { X509Certificate } from 'node:crypto';
import { SvcError } from '../../kernel/errors.ts';
import { readNamedFile } from '../../kernel/named-file.ts';
import type { ProcessEnvironment } from '../context.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * @throws SvcError `usage` if the file does not exist, `invalid_input` if it contains no certificate or
 * a damaged one
 */
export async function readCertificates(
  file: string,
  { cwd, signal }: Pick<ProcessEnvironment, 'cwd' | 'signal'>,
): Promise<string> {
  const text = (await readNamedFile(file, cwd, { signal })).toString('latin1');
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) {
    throw new SvcError(
      'invalid_input',
      `--ca-file must be a PEM file, but ${file} contains no certificate`,
      {
        hint: 'convert a DER file with: openssl x509 -inform der -in <file> -out <file>.pem',
      },
    );
  }
  for (const [at, certificate] of certificates.entries())
    check(certificate, `certificate ${at + 1} of ${file}`);
  return certificates.join('\n');
}

function check(certificate: string, name: string): void {
  try {
    new X509Certificate(certificate);
  } catch (error) {
    throw new SvcError('invalid_input', `--ca-file: ${name} is damaged`, {
      hint: 'get a new copy of the file from the operator of the service',
      cause: error,
    });
  }
}
