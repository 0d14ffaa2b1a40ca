import { commandArguments, dataArguments } from '../../catalog/command-text.ts';
import type { Operation } from '../../catalog/define.ts';
import { loadResource } from '../../catalog/index.ts';
import { getEntry } from '../../catalog/manifest.ts';
import type { Client } from '../../client/client.ts';
import { fetchPages } from '../../client/pages.ts';
import { requireData } from '../../client/response-data.ts';
import { commandLineOf, hint, type NextStep, SvcError, step } from '../../kernel/errors.ts';
import { valueAt } from '../../kernel/field-path.ts';
import { lowerFirst } from '../../kernel/first-letter.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { ALLOW_UNKNOWN_EVENT_FLAG, CALL_FLAGS } from '../call/call-flags.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { selectOptions } from '../options.ts';
import { stepForService } from '../service-flags.ts';
import { canAsk, withCiReason } from '../terminal/terminal.ts';

export type Data = Readonly<Record<string, unknown>>;
export const ENTRY = getEntry('webhooks.endpoints.create');
export const SAMPLE_URL = 'https://example.com/hook';

/**
 * @throws SvcError `usage` if prompting is not possible, with the equivalent non-interactive
 * command
 */
export function requireTerminal(context: Context, data: Data, invocation: Invocation): void {
  if (canAsk(context)) return;
  const command = createEquivalentStep(context, { url: SAMPLE_URL, ...data }, invocation);
  throw new SvcError('usage', 'this command is interactive and requires a terminal', {
    hint: withCiReason(context, hint`non-interactive: ${command}`),
  });
}

export function createEquivalentStep(
  context: Context,
  data: Data,
  { options }: Invocation,
): NextStep {
  const byFlags = commandArguments(ENTRY, data);
  const line = commandLineOf(step('change', ...byFlags));
  const maps = ENTRY.flags
    .filter(({ kind }) => kind === 'map')
    .map(({ path }) => Object(valueAt(data, path)));
  const canUseFlags =
    escapeForTerminal(line) === line &&
    maps.flatMap(Object.keys).every((key) => /^[^=]+$/.test(key));
  const allowFlag = selectOptions(CALL_FLAGS, options).allowUnknownEvent
    ? [ALLOW_UNKNOWN_EVENT_FLAG.flags]
    : [];
  const command = canUseFlags ? byFlags : dataArguments(ENTRY.command, data);
  return stepForService(context.options, step('change', ...command, ...allowFlag));
}

/** Whether advanced webhooks are enabled. A dry run does not read it, and assumes that they are. */
export async function readIsEnabled(context: Context, client: Client): Promise<boolean> {
  if (context.options.dryRun) {
    await context.note('--dry-run: the webhook settings were not read');
    return true;
  }
  const config = await loadResource('webhook-config');
  return requireData(await client.call(config['webhooks.advanced.get'], {})).isEnabled;
}

export interface ExistingEndpoint {
  readonly id: string;
  readonly url: string;
  readonly filterTypes?: readonly string[] | null | undefined;
}

/**
 * Lists the endpoints of the service. An empty list if the service refuses, because this read is
 * only for a warning.
 */
export async function listEndpoints(client: Client): Promise<readonly ExistingEndpoint[]> {
  const { 'webhooks.endpoints.list': list } = await loadResource('webhook-endpoints');
  const found: ExistingEndpoint[] = [];
  try {
    for await (const { data } of fetchPages(client, list, {}))
      found.push(...(data?.endpoints ?? []));
  } catch (error) {
    if (!(error instanceof SvcError) || error.failure === 'interrupted') throw error;
  }
  return found;
}

export function findDuplicates(
  existing: readonly ExistingEndpoint[],
  url: string,
): readonly ExistingEndpoint[] {
  const wanted = URL.parse(url)?.href;
  return existing.filter((endpoint) => URL.parse(endpoint.url)?.href === wanted);
}

export function describeDuplicate({ id, filterTypes }: ExistingEndpoint): string {
  return `${id} already delivers ${filterTypes?.join(', ') || 'all events'} to this URL`;
}

/** The endpoint to create: how its settings are checked, and the endpoints that exist already. */
export interface EndpointSubject {
  readonly operation: Operation;
  readonly existing: readonly ExistingEndpoint[];
  readonly allowsUnknownEvents: boolean;
}

/** Returns the problem with the value of a field, if any. */
export function findProblem(
  { operation }: EndpointSubject,
  field: string,
  value: unknown,
): string | undefined {
  const { error } = operation.input.safeParse({ url: SAMPLE_URL, [field]: value });
  const issue = error?.issues.find(({ path }) => path[0] === field);
  return issue && lowerFirst(issue.message);
}
