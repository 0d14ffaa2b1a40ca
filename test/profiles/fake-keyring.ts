import type { Keychain } from '../../src/profiles/keychain.ts';
import { type KeyringModule, performKeychainCalls } from '../../src/profiles/keychain-calls.ts';

/** The keyring module over a map, which outlives its users like a real keychain. */
export function fakeKeyring(kept = new Map<string, string>()): KeyringModule {
  return {
    Entry: class {
      readonly #key: string;
      constructor(service: string, account: string) {
        this.#key = `${service} ${account}`;
      }
      getPassword() {
        return kept.get(this.#key) ?? null;
      }
      setPassword(secret: string) {
        kept.set(this.#key, secret);
      }
      deleteCredential() {
        return kept.delete(this.#key);
      }
    },
  };
}

/**
 * A keychain in this process: the real calls on a fake module, with faults that a test can enable.
 */
export function fakeKeychain(kept = new Map<string, string>()) {
  const state = { fault: undefined as string | undefined, calls: 0 };
  const keychain: Keychain = async (calls) => {
    state.calls += 1;
    if (state.fault !== undefined) return { fault: state.fault };
    return performKeychainCalls(calls, async () => fakeKeyring(kept));
  };
  return { keychain, kept, state };
}
