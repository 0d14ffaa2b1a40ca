import { join } from 'node:path';
import type { Clock } from '../kernel/clock.ts';
import { createPrivateFolder } from '../kernel/files.ts';
import { withLock } from '../kernel/lock.ts';
import { replaceFile } from '../kernel/staged-file.ts';
import { checkFields, expectObject, readJsonFile } from './json-file.ts';
import { createSecretStorage, type SecretStorageDependencies } from './secrets.ts';

type MachineSecretDependencies = SecretStorageDependencies & { readonly clock: Clock };

/** Maximum time in milliseconds to wait for another process that creates the secret. */
const LOCK_TIMEOUT = 20_000;

/**
 * Loads a secret of this user and machine, created on first use.
 * @throws SvcError `local` if the file is damaged
 */
export async function loadMachineSecret(
  name: string,
  create: () => string,
  dependencies: MachineSecretDependencies,
) {
  const { folders, clock, signal } = dependencies;
  const path = join(folders.config, `${name}.json`);
  await createPrivateFolder(folders.config);
  const locking = { clock, timeout: LOCK_TIMEOUT, ...(signal && { signal }) };
  return withLock(join(folders.config, `${name}.lock`), locking, async () => {
    // The file comes first: once it exists, a keychain that appears later must not change the
    // secret.
    const stored =
      (await readJsonFile(path, parseSecretField)) ??
      (await loadFromKeychain(name, create, dependencies));
    if (stored !== undefined) return stored;
    const secret = create();
    await replaceFile(path, `${JSON.stringify({ secret })}\n`);
    return secret;
  });
}

async function loadFromKeychain(
  account: string,
  create: () => string,
  dependencies: MachineSecretDependencies,
) {
  const { keychain } = createSecretStorage(dependencies);
  const reply = await keychain([{ kind: 'get', account }]);
  if ('fault' in reply) return undefined;
  const [existing] = reply.values;
  if (existing) return existing;
  const secret = create();
  return 'fault' in (await keychain([{ kind: 'set', account, secret }])) ? undefined : secret;
}

function parseSecretField(value: unknown): string | undefined {
  const fields: { readonly secret?: string } = expectObject(value, 'the content');
  checkFields(fields, 'string', ['secret'], '');
  return fields.secret;
}
