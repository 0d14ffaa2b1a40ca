import type { CallResult, Client } from '../../client/client.ts';
import type { CalledOperation } from '../../client/request.ts';
import { isObject } from '../../kernel/json.ts';
import { describeHost } from '../connection/describe-target.ts';
import type { Context } from '../context.ts';
import type { RunOperation } from '../definition.ts';
import { type HistoryEntry, readEntries } from '../history-log.ts';
import { runOperation } from '../run/run-operation.ts';

/**
 * Lists the auth tokens of an API key, with the last reset that the history of this machine
 * contains: the service does not return the age of a token.
 */
export const listAuthTokens: RunOperation = (context, versions, invocation) => {
  const client = async () => withResets(await context.client(), context);
  return runOperation({ ...context, client }, versions, invocation);
};

function withResets(client: Client, context: Context): Client {
  const add = async <Reply extends Awaited<ReturnType<Client['send']>>>(
    { path }: Pick<CalledOperation, 'path'>,
    input: unknown,
    reply: Reply,
  ): Promise<Reply> => {
    const { sent, data } = reply as CallResult<unknown>;
    const apiKey = isObject(input) ? input['apiKey'] : undefined;
    if (!sent || !path.endsWith('/get') || typeof apiKey !== 'string' || !isObject(data))
      return reply;
    const at = await findLastReset(context, apiKey);
    if (at === undefined) return reply;
    const shown = await describeReset(context, at);
    return { ...reply, data: { ...data, authTokens: markToken(data['authTokens'], shown) } };
  };
  return {
    ...client,
    call: async (operation, input) => add(operation, input, await client.call(operation, input)),
  };
}

/**
 * Returns the time of the last reset, RFC 3339. Undefined if it is not known whether a later one was
 * applied.
 */
async function findLastReset(context: Context, apiKey: string): Promise<string | undefined> {
  const host = await describeHost(context);
  // The list needs no history: without one, the age is not known.
  const entries = await readEntries(context.folders).catch(() => []);
  const last = entries.findLast(
    (entry) =>
      entry.host === host &&
      String(entry.command).startsWith('svc auth-tokens reset') &&
      [entry.ids].flat().includes(apiKey) &&
      !provesNothingApplied(entry),
  );
  return last?.outcome === 'done' ? last.at : undefined;
}

/** Whether the exit code of a reset means that the service did not apply it. */
function provesNothingApplied({ exitCode }: HistoryEntry): boolean {
  return (exitCode >= 2 && exitCode <= 8) || exitCode === 13;
}

const DAY = 86_400_000;

/** Describes a reset for a table. Data contains its time. */
async function describeReset(context: Context, at: string): Promise<string> {
  if ((await context.format()) !== 'table') return at;
  const days = Math.floor((context.clock.now() - Date.parse(at)) / DAY);
  return `reset by svc ${days} d ago (this machine)`;
}

/** Name of the token that a reset returns. */
const RESET_TOKEN = 'Default Auth Token';

/** Adds a reset to the token that it returned, if there is no doubt which one that is. */
function markToken(tokens: unknown, resetBySvc: string): unknown {
  if (!Array.isArray(tokens)) return tokens;
  const named = tokens.filter((token) => isObject(token) && token['name'] === RESET_TOKEN);
  const [token] = tokens.length === 1 ? tokens : named.length === 1 ? named : [];
  return tokens.map((each) => (each === token ? { ...each, resetBySvc } : each));
}
