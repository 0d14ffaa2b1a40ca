import { SvcError } from '../../kernel/errors.ts';
import { readSecretFromFile } from '../../profiles/secret-input.ts';
import type { SenderCredentials } from '../deliveries/sample-delivery.ts';
import type { SendFlags } from './flags.ts';
import { readSigningSecret } from './keys.ts';

/** @throws SvcError `usage` if the credentials do not fit the form */
export async function readSenderCredentials(
  { form: named, secretFile, authTokenFile: tokenFile }: Pick<SendFlags, 'form' | 'secretFile' | 'authTokenFile'>,
  signal: AbortSignal,
): Promise<SenderCredentials> {
  const form = named ?? (tokenFile === undefined ? 'advanced' : 'basic');
  if (form === 'basic' && secretFile !== undefined) {
    throw new SvcError('usage', '--secret-file does not apply to basic deliveries, which are not signed', {
      hint: 'use --auth-token-file or --form advanced',
    });
  }
  if (form === 'advanced' && tokenFile !== undefined) {
    throw new SvcError('usage', '--auth-token-file does not apply to advanced deliveries, which carry no token', {
      hint: 'use --secret-file or --form basic',
    });
  }
  return {
    form,
    secret: secretFile === undefined ? undefined : await readSigningSecret(secretFile, signal),
    authToken: tokenFile === undefined ? undefined : await readSecretFromFile(tokenFile, signal),
  };
}
