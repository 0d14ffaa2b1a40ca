import { webhookConfig } from '../../catalog/webhook-config.ts';
import { workspace } from '../../catalog/workspace.ts';
import type { Client } from '../../client/client.ts';

/** Reads to check credentials with. Every API key and every workspace has access to them. */
const CREDENTIAL_READS = {
  key: webhookConfig['webhooks.config.get'],
  workspace: workspace['workspace.get'],
} as const;
export type CredentialKind = keyof typeof CREDENTIAL_READS;

/**
 * Sends a read with a credential. Returns whether the response is from the service: a proxy may
 * respond with other JSON.
 */
export async function readWithCredential(client: Client, kind: CredentialKind): Promise<boolean> {
  // Omits the output schema: any successful response proves that the credentials work.
  const { path, auth, effect } = CREDENTIAL_READS[kind];
  const reply = await client.send({ path, auth, effect }, {});
  return reply.sent && reply.result['status'] === 'success';
}
