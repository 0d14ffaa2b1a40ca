import type { Operation } from '../../catalog/define.ts';
import { loadResource } from '../../catalog/index.ts';
import type { Answer, Client } from '../../client/client.ts';
import { SvcError } from '../../kernel/errors.ts';
import { hint, step } from '../../kernel/hint.ts';
import type { SecretName } from '../../kernel/variables.ts';
import type { Context } from '../context.ts';
import { type Check, ok, skipped, type Verdict, warn } from './check.ts';

/** How the calls are made: reads, and as few as tell something. */
export interface Calls {
  readonly context: Context;
  readonly client: () => Promise<Client>;
  /** The checks without which there is nobody to call. */
  readonly after: readonly string[];
  /** What advanced queries are tried with. */
  readonly organizationId: string | undefined;
}

/** What is about credentials, and about switches of the service as far as reads tell. */
export function callChecks(calls: Calls): readonly Check[] {
  const { after } = calls;
  const behindKey = [...after, 'key-credentials'];
  return [
    { name: 'key-credentials', after, run: () => whereThereIs(calls, 'apiKey', key) },
    { name: 'workspace-credentials', after, run: () => whereThereIs(calls, 'workspaceId', workspace) },
    { name: 'advanced-webhooks', after: behindKey, run: () => whereThereIs(calls, 'apiKey', webhooks) },
    { name: 'advanced-queries', after: behindKey, run: () => whereThereIs(calls, 'apiKey', queries) },
  ];
}

type Id = 'apiKey' | 'workspaceId';

const SECRET_OF = { apiKey: 'authToken', workspaceId: 'workspaceAuthToken' } as const satisfies Record<Id, SecretName>;
const NOUNS = { apiKey: 'API key', workspaceId: 'workspace' } as const satisfies Record<Id, string>;

/** Runs a check that needs one of the two credentials, named as people know it. */
async function whereThereIs(calls: Calls, id: Id, check: (calls: Calls, name: string) => Promise<Verdict>) {
  const { options, settings } = calls.context;
  if (options.local) return check(calls, 'the embedded service');
  const found = await settings();
  const [name, secret] = [found[id], found[SECRET_OF[id]]];
  if (!name || !secret) return skipped(`no ${NOUNS[id]} with its auth token is configured`);
  return check(calls, `${NOUNS[id]} ${name.value}`);
}

async function key({ client }: Calls, name: string): Promise<Verdict> {
  const { 'webhooks.config.get': operation } = await loadResource('webhook-config');
  await answerOf(client, operation);
  return ok(`${name}: accepted`);
}

async function workspace({ client }: Calls, name: string): Promise<Verdict> {
  const { 'workspace.get': operation } = await loadResource('workspace');
  await answerOf(client, operation);
  return ok(`${name}: accepted`);
}

async function webhooks({ client }: Calls): Promise<Verdict> {
  const { 'webhooks.advanced.get': operation } = await loadResource('webhook-config');
  const { isEnabled } = Object((await answerOf(client, operation))?.data) as { readonly isEnabled?: unknown };
  return isEnabled === true
    ? ok('switched on')
    : warn(
        'not switched on',
        hint`where endpoints are needed: ${step('change', 'webhooks', 'advanced', 'update', '--enable')}`,
      );
}

async function queries({ client, organizationId }: Calls): Promise<Verdict> {
  if (organizationId === undefined) return skipped('takes an organization to ask for: --org');
  const { 'documents.list': operation } = await loadResource('documents');
  const answered = await answerOf(client, operation, { organizationId, pageSize: 1 });
  if (answered) return ok('switched on');
  return warn('not switched on', 'documents and folders can be listed once it is on: ask who runs the service');
}

/**
 * The answer to a read, or `undefined` where a feature is off or what was asked for is not there: the credential was
 * accepted all the same.
 */
async function answerOf(
  client: Calls['client'],
  operation: Operation,
  input: Readonly<Record<string, unknown>> = {},
): Promise<Answer<unknown> | undefined> {
  try {
    const reply = await (await client()).call(operation, input);
    return reply.sent ? reply : undefined;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    if (error.failure === 'failed_precondition' || error.failure === 'not_found') return undefined;
    throw error;
  }
}
