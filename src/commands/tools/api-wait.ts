import type { Auth, Operation } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { groupByPath, type OperationEntry } from '../../catalog/manifest.ts';
import { selectOperation } from '../../catalog/select-operation.ts';
import type { CallResult, Client } from '../../client/client.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { type Fields, isObject } from '../../kernel/json.ts';
import { redactRemembered } from '../../kernel/redact.ts';
import { pollUntilEnd, type TaskState } from '../call/wait.ts';
import type { Context } from '../context.ts';

/** The response field with the ID of a job, and the path that returns the job's status. */
export interface WaitTarget {
  readonly field: string;
  readonly path: string;
}

interface StartedJob {
  readonly wait: WaitTarget;
  /** The response that started the job, and the data that was sent. */
  readonly first: CallResult<unknown>;
  readonly data: unknown;
  readonly auth: Auth | undefined;
  readonly client: Client;
  readonly status: KnownOperation | undefined;
}

/** Fields of a request that name a scope, which the status of a job may need too. */
const SCOPE_FIELDS = ['organizationId', 'folderId', 'documentId', 'workspaceId', 'apiKey'];

/**
 * Polls the status of a job until it ends.
 * @returns the last response, and the error of a job that failed
 * @throws SvcError `outcome_unknown` if the response has no ID, `invalid_response` for a status
 * without a state
 */
export async function waitForJob(
  context: Context,
  { wait, first, data, auth, client, status }: StartedJob,
): Promise<{ readonly response: CallResult<unknown>; readonly failure?: SvcError }> {
  const { field, path } = wait;
  if (readJobState(first.data)?.end) return finished(first, field);
  const id: unknown = isObject(first.data) ? first.data[field] : undefined;
  if (typeof id !== 'string' && typeof id !== 'number')
    throw new SvcError('outcome_unknown', `the call succeeded, but its response has no ${field}`, {
      hint: 'check the result of the job yourself',
    });
  const query = { ...scopeOf(data, status), [field]: id };
  // A path that is not in the catalog may be repeated only if its name leaves no doubt.
  const isStatus = /\/status\/?$/.test(path);
  const operation = {
    path,
    auth: auth ?? status?.entry.auth ?? 'key',
    effect: status?.entry.effect ?? (isStatus ? 'read' : 'once'),
  } as const;
  const words = ['api', path, '--data', JSON.stringify(query)];
  const checkHint = hint`to check the job, run ${step('show', ...words, ...(auth ? ['--auth', auth] : []))}`;
  const task = {
    name: `${field} ${id}`,
    poll: () => client.send(operation, query),
    readState: ({ data: state }: CallResult<unknown>) => readJobState(state),
    stateName: 'status',
  };
  const response = await pollUntilEnd(context, task).catch((error: unknown) => {
    throw error instanceof SvcError ? error.reworded({ hint: checkHint }) : error;
  });
  return finished(response, `${field} ${id}`);
}

function finished(response: CallResult<unknown>, name: string) {
  const state = readJobState(response.data);
  if (state?.end !== 'failed') return { response };
  const message = `${name} failed (${state.text})${reasonOf(response.data)}`;
  return { response, failure: new SvcError('records_failed', message) };
}

function scopeOf(data: unknown, status: KnownOperation | undefined): Fields {
  if (!isObject(data)) return {};
  const accepted = status && Object.keys(status.operation.input.shape);
  const names = SCOPE_FIELDS.filter(
    (name) => data[name] !== undefined && (accepted?.includes(name) ?? true),
  );
  return Object.fromEntries(names.map((name) => [name, data[name]]));
}

/** Reads the state of a job from its `status`, or from fields such as `isDeleteCompleted`. */
function readJobState(data: unknown): TaskState | undefined {
  if (!isObject(data)) return undefined;
  const { status } = data;
  const switches = Object.entries(data).filter(
    ([name, value]) => /^is\w*Completed$/.test(name) && typeof value === 'boolean',
  );
  const isCompleted = switches.length > 0 && switches.every(([, value]) => value === true);
  if (typeof status !== 'string')
    return switches.length > 0
      ? {
          text: isCompleted ? 'completed' : 'in progress',
          end: isCompleted ? 'succeeded' : undefined,
        }
      : undefined;
  const end = /^(?:fail(?:ed|ure)|error|cancell?ed|aborted)$/i.test(status)
    ? 'failed'
    : isCompleted || isEndStatus(status, switches.length > 0)
      ? 'succeeded'
      : undefined;
  return { text: `status: ${status}`, end };
}

/** Whether a status is that of a job that succeeded. Beside switches, only `completed` is. */
function isEndStatus(status: string, hasSwitches: boolean): boolean {
  return (
    /^completed?$/i.test(status) ||
    (!hasSwitches && /^(?:succe(?:ss|eded)|done|finished)$/i.test(status))
  );
}

function reasonOf(data: unknown): string {
  if (!isObject(data)) return '';
  const reason = [data['message'], data['error'], data['errorMessage']].find(
    (text) => typeof text === 'string' && text !== '',
  );
  return reason === undefined ? '' : `: ${redactRemembered(String(reason))}`;
}

export interface KnownOperation {
  readonly entry: OperationEntry;
  readonly operation: Operation;
}

/**
 * Finds the operation for a path and data. Returns `undefined` if the path is not in the catalog.
 */
export async function findKnownOperation(
  path: string,
  data: unknown,
): Promise<KnownOperation | undefined> {
  const candidates = groupByPath().get(path) ?? [];
  const entry = selectOperation(candidates, data);
  return entry && { entry, operation: await loadOperation(entry.resource, entry.name) };
}
