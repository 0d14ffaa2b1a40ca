import { SvcError } from '../../kernel/errors.ts';
import { readSecretFile } from '../../profiles/secret-input.ts';
import { FORMS, type Form } from '../../webhooks/form.ts';
import type { Invocation } from '../definition.ts';
import type { SenderProof } from '../deliveries/sample.ts';
import { textValue } from '../option-values.ts';
import { readSigningSecret } from './keys.ts';

/** What `--form`, `--secret-file` and `--auth-token-file` say together. */
export async function readSenderProof(options: Invocation['options'], signal: AbortSignal): Promise<SenderProof> {
  const [secretFile, tokenFile] = [textValue(options, 'secretFile'), textValue(options, 'authTokenFile')];
  const form = formOf(textValue(options, 'form'), tokenFile);
  if (form === 'basic' && secretFile !== undefined) {
    throw new SvcError('usage', 'a basic delivery is not signed', {
      hint: 'give --auth-token-file, or --form advanced',
    });
  }
  if (form === 'advanced' && tokenFile !== undefined) {
    throw new SvcError('usage', 'an advanced delivery carries no token', {
      hint: 'give --secret-file, or --form basic',
    });
  }
  return {
    form,
    secret: secretFile === undefined ? undefined : await readSigningSecret(secretFile, signal),
    authToken: tokenFile === undefined ? undefined : await readSecretFile(tokenFile, signal),
  };
}

function formOf(named: string | undefined, tokenFile: string | undefined): Form {
  return FORMS.find((form) => form === named) ?? (tokenFile === undefined ? 'advanced' : 'basic');
}
