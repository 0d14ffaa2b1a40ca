import { X509Certificate } from 'node:crypto';
import { SvcError } from '../../kernel/errors.ts';
import type { Environment } from '../../kernel/folders.ts';
import { readNamedFile } from '../../kernel/named-file.ts';
import { muteWarnings } from '../../kernel/process.ts';
import type { Sourced } from '../../profiles/target.ts';
import type { Context, ProcessEnvironment } from '../context.ts';

/** File with the authorities of the system, which OpenSSL and other tools read. */
const SYSTEM_FILE_VARIABLE = 'SSL_CERT_FILE';

/**
 * Reads the authorities that are trusted in addition to the default ones of Node.js. `SSL_CERT_FILE`
 * is not for svc alone, so a file that cannot be used is a warning.
 */
export async function findAuthorities(context: Context): Promise<string | undefined> {
  const { environment, warn } = context;
  const texts: string[] = [];
  const { caFile } = await context.target();
  if (caFile) texts.push(await readCertificates(caFile.value, context, nameOf(caFile)));
  const systemFile = environment[SYSTEM_FILE_VARIABLE];
  if (systemFile) {
    try {
      texts.push(await readCertificates(systemFile, context, SYSTEM_FILE_VARIABLE));
    } catch (error) {
      if (!(error instanceof SvcError) || context.signal.aborted) throw error;
      await warn(`ignored ${SYSTEM_FILE_VARIABLE}: ${error.message}`);
    }
  }
  return texts.length === 0 ? undefined : texts.join('\n');
}

function nameOf({ source }: Sourced): string {
  return source.startsWith('profile ') ? `the CA file of ${source}` : source.replace(/^flag /, '');
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * @throws SvcError `usage` if the file does not exist, `invalid_input` if it contains no certificate or
 * a damaged one
 */
export async function readCertificates(
  file: string,
  { cwd, signal }: Pick<ProcessEnvironment, 'cwd' | 'signal'>,
  source = '--ca-file',
): Promise<string> {
  const text = (await readNamedFile(file, cwd, { signal })).toString('latin1');
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) {
    throw new SvcError(
      'invalid_input',
      `${source} must be a PEM file, but ${file} contains no certificate`,
      {
        hint: 'convert a DER file with: openssl x509 -inform der -in <file> -out <file>.pem',
      },
    );
  }
  for (const [at, certificate] of certificates.entries())
    check(certificate, source, `certificate ${at + 1} of ${file}`);
  return certificates.join('\n');
}

function check(certificate: string, source: string, name: string): void {
  try {
    new X509Certificate(certificate);
  } catch (error) {
    throw new SvcError('invalid_input', `${source}: ${name} is damaged`, {
      hint: 'get a new copy of the file from the operator of the service',
      cause: error,
    });
  }
}

/** If set to 0, Node.js accepts any certificate. */
export const TLS_CHECKS_VARIABLE = 'NODE_TLS_REJECT_UNAUTHORIZED';

export function skipsCertificateChecks(environment: Environment): boolean {
  return environment[TLS_CHECKS_VARIABLE] === '0';
}

/** Creates the warning about skipped certificate checks. Mutes the warning of Node.js. */
export function skippedChecksWarning(): string {
  muteWarnings((text) => text.includes(TLS_CHECKS_VARIABLE));
  return `${TLS_CHECKS_VARIABLE}=0 turns certificate checks off: any server can pose as the service and read the credentials`;
}
