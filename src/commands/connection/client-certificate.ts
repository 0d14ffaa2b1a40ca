import {
  type ClientCertificate,
  findKeyPairProblem,
  type KeyPair,
} from '../../client/client-certificate.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { readNamedFile } from '../../kernel/named-file.ts';
import { rememberSecret } from '../../kernel/redact.ts';
import { SETTING_VARIABLES } from '../../kernel/variables.ts';
import type { TargetWithSecrets } from '../../profiles/target.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../options.ts';
import { canAsk, withCiReason } from '../terminal/terminal.ts';

type CertificateSettings = Pick<
  TargetWithSecrets,
  'clientCert' | 'clientKey' | 'clientKeyPassphrase'
>;

/** Certificates by the setting that names them, so that a command prompts once. */
const loaded = new WeakMap<object, Promise<ClientCertificate | undefined>>();

/**
 * Reads the client certificate that the settings name. Prompts for the passphrase of its key if the
 * settings have none.
 * @throws SvcError `usage` for a missing file, `no_credential` without a key or passphrase,
 * `invalid_input` for unusable files or a wrong passphrase
 */
export async function loadClientCertificate(
  context: Context,
  settings: CertificateSettings,
): Promise<ClientCertificate | undefined> {
  const setting = settings.clientCert ?? settings.clientKey;
  if (!setting) return undefined;
  const loading = loaded.get(setting) ?? readClientCertificate(context, settings);
  loaded.set(setting, loading);
  return loading;
}

async function readClientCertificate(
  context: Context,
  { clientCert, clientKey, clientKeyPassphrase }: CertificateSettings,
): Promise<ClientCertificate> {
  if (!clientCert) {
    const problem = `${clientKey?.source} requires a client certificate`;
    throw new SvcError('usage', problem, { hint: 'add --client-cert' });
  }
  const { cwd, signal } = context;
  const read = (path: string) => readNamedFile(path, cwd, { signal, maxBytes: MAX_BYTES });
  const file = await read(clientCert.value);
  const isPem = file.includes('-----BEGIN ');
  if (!isPem && clientKey)
    throw new SvcError('usage', `${clientCert.value} is not a PEM file, but a key is set`, {
      hint: `a PKCS#12 file contains the key: omit --client-key (${clientKey.source})`,
    });
  const keyFile = clientKey ? await read(clientKey.value) : file;
  const keyPath = clientKey?.value ?? clientCert.value;
  if (isPem && !keyFile.includes('PRIVATE KEY-----'))
    throw new SvcError('no_credential', `${keyPath} contains no private key`, {
      hint: `add --client-key, or set ${SETTING_VARIABLES.clientKey}`,
    });
  const files: KeyPair = isPem
    ? { cert: file.toString('latin1'), key: keyFile.toString('latin1') }
    : { pfx: file };
  const paths = { certPath: clientCert.value, keyPath };
  return unlock(context, files, paths, clientKeyPassphrase?.value);
}

/** Enough for a long chain of certificates. */
const MAX_BYTES = 1024 * 1024;

interface KeyPaths {
  readonly certPath: string;
  readonly keyPath: string;
}

async function unlock(
  context: Context,
  files: KeyPair,
  paths: KeyPaths,
  configured: string | undefined,
): Promise<ClientCertificate> {
  let passphrase = rememberSecret(configured);
  for (;;) {
    const problem = findKeyPairProblem(files, passphrase);
    if (problem === undefined) return { ...files, ...optionalProperty('passphrase', passphrase) };
    if (problem !== 'passphrase') throw createUnusableError(problem, paths);
    const isWrong = passphrase !== undefined;
    if (configured !== undefined || !canAsk(context))
      throw isWrong ? createWrongPassphraseError(paths) : createLockedError(context, paths);
    if (isWrong) await context.warn(`the passphrase of ${paths.keyPath} is wrong`);
    const prompter = await context.prompter();
    passphrase = rememberSecret(await prompter.secret(`Passphrase of ${paths.keyPath}`));
  }
}

const PROBLEMS = {
  mismatch: ({ certPath, keyPath }: KeyPaths) =>
    certPath === keyPath
      ? `the private key in ${keyPath} does not belong to its first certificate`
      : `the private key ${keyPath} does not belong to the certificate ${certPath}`,
  outdated: ({ certPath }: KeyPaths) => `${certPath} uses an outdated encryption`,
  damaged_key: ({ keyPath }: KeyPaths) => `${keyPath} contains no valid private key`,
  damaged_certificate: ({ certPath }: KeyPaths) =>
    `${certPath} contains no valid certificate in PEM or PKCS#12 format`,
} as const;

const PROBLEM_HINTS = {
  mismatch: 'use the key that the certificate was requested with',
  outdated: 'convert it with: openssl pkcs12 -legacy -in <file> -out client.pem',
  damaged_key: 'get a new copy of the key',
  damaged_certificate: 'get a new copy of the certificate',
} as const;

function createUnusableError(problem: keyof typeof PROBLEMS, paths: KeyPaths): SvcError {
  return new SvcError('invalid_input', PROBLEMS[problem](paths), { hint: PROBLEM_HINTS[problem] });
}

function createWrongPassphraseError({ keyPath }: KeyPaths): SvcError {
  return new SvcError('invalid_input', `the passphrase of ${keyPath} is wrong`, {
    hint: hint`to see where the passphrase is set, run ${step('show', 'whoami', '--all')}`,
  });
}

function createLockedError(context: Context, { keyPath }: KeyPaths): SvcError {
  return new SvcError('no_credential', `${keyPath} is encrypted, and its passphrase is not set`, {
    hint: withCiReason(
      context,
      `set ${SETTING_VARIABLES.clientKeyPassphrase}, or save the passphrase in the profile`,
    ),
  });
}
