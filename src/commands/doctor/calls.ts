import type { Operation } from '../../catalog/define.ts';
import { loadResource } from '../../catalog/index.ts';
import type { CallResult, Client } from '../../client/client.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { parseOrganization } from '../../profiles/profile.ts';
import type { Sourced } from '../../profiles/target.ts';
import type { Context } from '../context.ts';
import { type Check, type CheckResult, ok, skipped, warn } from './check.ts';

export interface CallCheckContext {
  readonly context: Context;
  readonly client: () => Promise<Client>;
  readonly after: readonly string[];
  readonly organization: Sourced | undefined;
}

export function createCallChecks(calls: CallCheckContext): readonly Check[] {
  const { after } = calls;
  const afterKey = [...after, 'key-credentials'];
  return [
    { name: 'key-credentials', after, run: () => withCredential(calls, 'apiKey', checkKey) },
    {
      name: 'workspace-credentials',
      after,
      run: () => withCredential(calls, 'workspaceId', checkWorkspace),
    },
    {
      name: 'advanced-webhooks',
      after: afterKey,
      run: () => withCredential(calls, 'apiKey', checkWebhooks),
    },
    {
      name: 'advanced-queries',
      after: afterKey,
      run: () => withCredential(calls, 'apiKey', checkQueries),
    },
  ];
}

const CREDENTIALS = {
  apiKey: { secret: 'authToken', noun: 'API key' },
  workspaceId: { secret: 'workspaceAuthToken', noun: 'workspace' },
} as const;

async function withCredential(
  calls: CallCheckContext,
  id: keyof typeof CREDENTIALS,
  check: (calls: CallCheckContext, name: string) => Promise<CheckResult>,
) {
  const { options, targetWithSecrets } = calls.context;
  if (options.local) return check(calls, 'the embedded service');
  const found = await targetWithSecrets();
  const { secret, noun } = CREDENTIALS[id];
  const name = found[id];
  if (!name || !found[secret]) return skipped(`no ${noun} with its auth token is configured`);
  return check(calls, `${noun} ${name.value}`);
}

async function checkKey({ client }: CallCheckContext, name: string): Promise<CheckResult> {
  await callIfAvailable(client, (await loadResource('webhook-config'))['webhooks.config.get']);
  return ok(`${name}: accepted`);
}

async function checkWorkspace({ client }: CallCheckContext, name: string): Promise<CheckResult> {
  await callIfAvailable(client, (await loadResource('workspace'))['workspace.get']);
  return ok(`${name}: accepted`);
}

async function checkWebhooks({ client }: CallCheckContext): Promise<CheckResult> {
  const { 'webhooks.advanced.get': operation } = await loadResource('webhook-config');
  const { isEnabled } = Object((await callIfAvailable(client, operation))?.data) as {
    readonly isEnabled?: unknown;
  };
  return isEnabled === true
    ? ok('enabled')
    : warn(
        'not enabled',
        hint`to use endpoints, run ${step('change', 'webhooks', 'advanced', 'update', '--enable')}`,
      );
}

async function checkQueries({ client, organization }: CallCheckContext): Promise<CheckResult> {
  if (organization === undefined) return skipped('needs an organization: add --org');
  const { 'documents.list': operation } = await loadResource('documents');
  const organizationId = parseOrganization(organization.value, organization.source);
  const result = await callIfAvailable(client, operation, { organizationId, pageSize: 1 });
  const advice = 'ask the administrator of the service to enable advanced queries';
  return result
    ? ok('enabled')
    : warn('not enabled', `${advice}; documents and folders cannot be listed without them`);
}

/**
 * Sends a read. Returns `undefined` if a feature is off or a record does not exist: the credential
 * is valid.
 */
async function callIfAvailable(
  client: CallCheckContext['client'],
  operation: Operation,
  input: Readonly<Record<string, unknown>> = {},
): Promise<CallResult<unknown> | undefined> {
  try {
    const result = await (await client()).call(operation, input);
    return result.sent ? result : undefined;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    if (error.failure === 'failed_precondition' || error.failure === 'not_found') return undefined;
    throw error;
  }
}
