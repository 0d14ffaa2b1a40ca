import type { Operation } from '../../catalog/define.ts';
import { webhookConfig } from '../../catalog/webhook-config.ts';
import { workspace } from '../../catalog/workspace.ts';
import type { CalledOperation, Client } from '../../client/client.ts';

/** Reads to check credentials with. Every API key and every workspace has access to them. */
const CREDENTIAL_READS = {
  key: toReadOperation(webhookConfig['webhooks.config.get']),
  workspace: toReadOperation(workspace['workspace.get']),
} as const;

export type CredentialKind = keyof typeof CREDENTIAL_READS;

/** Sends a read with a credential. Returns whether the response is from the service: a proxy may respond with other JSON. */
export async function readWithCredential(client: Client, kind: CredentialKind): Promise<boolean> {
  const reply = await client.send(CREDENTIAL_READS[kind], {});
  return reply.sent && reply.result['status'] === 'success';
}

/** Omits the output schema: any successful response proves that the credentials work. */
function toReadOperation({ path, auth, effect }: Operation): CalledOperation {
  return { path, auth, effect };
}
