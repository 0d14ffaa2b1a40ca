import { messageOf } from '../kernel/errors.ts';
import { redactText } from '../kernel/redact.ts';

/** One thing to do in the keychain. An account is a name under which it keeps one secret for svc. */
export type KeychainCall =
  | { readonly kind: 'get' | 'delete'; readonly account: string }
  | { readonly kind: 'set'; readonly account: string; readonly secret: string };

/** What came of all calls: for each `get` the secret or null, for the others null; or why one of them failed. */
export type KeychainReply = { readonly values: readonly (string | null)[] } | { readonly fault: string };

/** The part of `@napi-rs/keyring` that is used. */
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

/** The name under which the keychain lists what svc keeps there. */
const SERVICE = 'svc';

/** Left to choose, the module falls back to the kernel's key ring, which forgets everything when the machine restarts. */
const STORE = { linux: { store: 'secret-service' } } as const;

/** Makes the calls in order, up to the first that fails. May block for as long as the keychain likes. */
export async function performCalls(
  calls: readonly KeychainCall[],
  load: () => Promise<KeyringModule>,
): Promise<KeychainReply> {
  try {
    const { Entry } = await load();
    return { values: calls.map((call) => perform(new Entry(SERVICE, call.account, STORE), call)) };
  } catch (error) {
    const secrets = calls.flatMap((call) => (call.kind === 'set' ? [call.secret] : []));
    return { fault: redactText(briefly(messageOf(error)), secrets) };
  }
}

/** The module's own words without what they begin with each time, and without the advice that D-Bus adds. */
function briefly(message: string): string {
  const [sentence = ''] = message.replace(/^Platform failure: /, '').split(/\. |\n/);
  return sentence;
}

function perform(entry: InstanceType<KeyringModule['Entry']>, call: KeychainCall): string | null {
  switch (call.kind) {
    case 'get':
      return entry.getPassword();
    case 'set':
      entry.setPassword(call.secret);
      return null;
    case 'delete':
      entry.deleteCredential();
      return null;
  }
}
