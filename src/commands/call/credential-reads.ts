import type { Operation } from '../../catalog/define.ts';
import { webhookConfig } from '../../catalog/webhook-config.ts';
import { workspace } from '../../catalog/workspace.ts';
import type { CalledOperation } from '../../client/client.ts';

/** Reads that every API key and every workspace may make, for checks of their credentials. */
export const CREDENTIAL_READS = {
  key: toRead(webhookConfig['webhooks.config.get']),
  workspace: toRead(workspace['workspace.get']),
} as const;

/** Omits the output schema, because any successful response proves that the credentials work. */
function toRead({ path, auth, effect }: Operation): CalledOperation {
  return { path, auth, effect };
}
