import type { Operation } from '../../catalog/define.ts';
import { webhookConfig } from '../../catalog/webhook-config.ts';
import { workspace } from '../../catalog/workspace.ts';
import type { CalledOperation } from '../../client/client.ts';

/** Reads to check credentials with. Every API key and every workspace has access to them. */
export const CREDENTIAL_READS = {
  key: toRead(webhookConfig['webhooks.config.get']),
  workspace: toRead(workspace['workspace.get']),
} as const;

/** Omits the output schema: any successful response proves that the credentials work. */
function toRead({ path, auth, effect }: Operation): CalledOperation {
  return { path, auth, effect };
}
