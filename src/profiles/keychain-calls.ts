import { messageOf } from '../kernel/errors.ts';
import { redactText } from '../kernel/redact.ts';

/** One keychain operation. An account is the name of one secret of svc in the keychain. */
export type KeychainCall =
  | { readonly kind: 'get' | 'delete'; readonly account: string }
  | { readonly kind: 'set'; readonly account: string; readonly secret: string };

/**
 * The secret or null for each `get`, and null for the other calls; or the error message of the call
 * that failed.
 */
export type KeychainReply =
  | { readonly values: readonly (string | null)[] }
  | { readonly fault: string };

export interface KeyringModule {
  readonly Entry: new (
    service: string,
    account: string,
    options: { readonly linux: { readonly store: 'secret-service' } },
  ) => {
    getPassword(): string | null;
    setPassword(secret: string): void;
    deleteCredential(): boolean;
  };
}

const SERVICE = 'svc';
/**
 * Selects the Secret Service. By default, the module falls back to the kernel keyring, which does
 * not survive a restart.
 */
const STORE = { linux: { store: 'secret-service' } } as const;

/** Performs the calls in order, up to the first failure. May block until the keychain responds. */
export async function performKeychainCalls(
  calls: readonly KeychainCall[],
  load: () => Promise<KeyringModule>,
) {
  try {
    const { Entry } = await load();
    return { values: calls.map((call) => perform(new Entry(SERVICE, call.account, STORE), call)) };
  } catch (error) {
    const secrets = calls.flatMap((call) => (call.kind === 'set' ? [call.secret] : []));
    const [sentence = ''] = messageOf(error)
      .replace(/^Platform failure: /, '')
      .split(/\. |\n/);
    return { fault: redactText(sentence, secrets) };
  }
}

function perform(entry: InstanceType<KeyringModule['Entry']>, call: KeychainCall): string | null {
  if (call.kind === 'get') return entry.getPassword();
  if (call.kind === 'set') entry.setPassword(call.secret);
  else entry.deleteCredential();
  return null;
}
