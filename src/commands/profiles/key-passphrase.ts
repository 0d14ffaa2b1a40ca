import { SETTING_VARIABLES } from '../../kernel/variables.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../options.ts';

/** Checks the client certificate. @returns the passphrase of its key, if it has one */
export async function findKeyPassphrase(
  context: Context,
  { clientCert, clientKey }: Profile,
): Promise<string | undefined> {
  if (clientCert === undefined && clientKey === undefined) return undefined;
  const { loadClientCertificate } = await import('../connection/client-certificate.ts');
  const variable = SETTING_VARIABLES.clientKeyPassphrase;
  const sourced = (name: string, value: string | undefined, source: string) =>
    optionalProperty(name, value ? { value, source } : undefined);
  const certificate = await loadClientCertificate(context, {
    ...sourced('clientCert', clientCert, '--client-cert'),
    ...sourced('clientKey', clientKey, '--client-key'),
    ...sourced('clientKeyPassphrase', context.environment[variable], variable),
  });
  return certificate?.passphrase;
}
