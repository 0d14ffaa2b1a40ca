import type * as z from 'zod/mini';
import { validateBounded } from '../../catalog/bounded-validation.ts';
import { explainIssue } from '../../catalog/explain-issue.ts';
import type { AdminOperation } from '../../catalog/local/define.ts';
import { getAdminEntry } from '../../catalog/local/find-entry.ts';
import {
  type AdminData,
  type AdminInput,
  type AdminOperationName,
  type AdminOperationsOf,
  type AdminOutput,
  type AdminSubject,
  loadAdminOperations,
  type NeedOf,
} from '../../catalog/local/index.ts';
import { SvcError } from '../../kernel/errors.ts';
import { formatFieldPath, valueAt } from '../../kernel/field-path.ts';
import type { ClockContext } from './clock-control.ts';
import type { DeliveryContext } from './delivery-control.ts';
import type { FaultContext } from './faults/fault-control.ts';
import type { AdminHandler, AdminHandlers } from './handler.ts';
import type { ReaderContext } from './reading/reader.ts';
import type { RequestContext } from './requests/request-log.ts';
import type { SnapshotContext } from './snapshots/snapshot-control.ts';

/** The parts of the service that handlers get, by what their operation needs. */
export interface AdminContexts {
  readonly service: ClockContext;
  readonly data: DeliveryContext & FaultContext & ReaderContext;
  readonly requests: RequestContext;
  readonly snapshots: SnapshotContext;
}

/** The parts of the service that all handlers need together. */
export type DevelopmentContext = AdminContexts['service'] &
  AdminContexts['data'] &
  AdminContexts['requests'] &
  AdminContexts['snapshots'];

type HandlersOf<Subject extends AdminSubject> = AdminHandlers<
  Subject,
  AdminContexts[NeedOf<keyof AdminOperationsOf<Subject> & AdminOperationName>]
>;

/** Loaders for the handlers of each subject. An operation without a handler does not compile. */
const LOADERS: {
  readonly [Subject in AdminSubject]: () => Promise<HandlersOf<Subject>>;
} = {
  clock: async () => (await import('./clock-control.ts')).clock,
  deliveries: async () => (await import('./delivery-control.ts')).deliveries,
  faults: async () => (await import('./faults/fault-control.ts')).faults,
  records: async () => (await import('./reading/reader.ts')).records,
  requests: async () => (await import('./requests/request-log.ts')).requests,
  snapshots: async () => (await import('./snapshots/snapshot-control.ts')).snapshots,
};

type HandlerOf<Name extends AdminOperationName> = AdminHandler<Name, AdminContexts[NeedOf<Name>]>;

export async function loadAdminHandler<Name extends AdminOperationName>(
  name: Name,
): Promise<HandlerOf<Name>> {
  const handlers: { readonly [Each in AdminOperationName]?: HandlerOf<Each> } =
    await LOADERS[getAdminEntry(name).subject]();
  const handler = handlers[name];
  if (!handler) throw new TypeError(`unknown operation ${name}`);
  return handler;
}

/**
 * Runs an operation of the admin API with a checked input.
 * @throws SvcError or Refusal of the handler
 */
export async function runAdminOperation<Name extends AdminOperationName>(
  name: Name,
  context: AdminContexts[NeedOf<Name>],
  input: AdminInput<Name>,
): Promise<AdminOutput<Name>> {
  return (await loadAdminHandler(name))(context, input);
}

/**
 * Checks the input of an operation, and runs it.
 * @throws SvcError `usage` for an invalid input, and errors of the handler
 */
export async function callAdminOperation<Name extends AdminOperationName>(
  name: Name,
  context: AdminContexts[NeedOf<Name>],
  data: AdminData<Name>,
): Promise<AdminOutput<Name>> {
  const operation = await loadAdminOperation(name);
  return (await loadAdminHandler(name))(context, parseAdminInput<Name>(operation, data));
}

/** Loads the checks and the handlers of all operations. */
export async function loadAdminApi(): Promise<void> {
  const subjects = Object.keys(LOADERS) as AdminSubject[];
  await Promise.all(
    subjects.flatMap((subject): Promise<unknown>[] => [
      LOADERS[subject](),
      loadAdminOperations(subject),
    ]),
  );
}

export async function loadAdminOperation(name: AdminOperationName): Promise<AdminOperation> {
  const operations: { readonly [Each in AdminOperationName]?: AdminOperation } =
    await loadAdminOperations(getAdminEntry(name).subject);
  const operation = operations[name];
  if (!operation) throw new TypeError(`unknown operation ${name}`);
  return operation;
}

/** @throws SvcError `usage` for the first invalid field */
export function parseAdminInput<Name extends AdminOperationName>(
  { input }: AdminOperation,
  data: unknown,
): AdminInput<Name> {
  const checked = validateBounded(input, data);
  // TypeScript cannot infer that the schema belongs to the operation with this name.
  if (checked.success) return checked.data as AdminInput<Name>;
  const [issue] = checked.issues as [z.core.$ZodIssue];
  const value = valueAt(data, issue.path);
  const field = formatFieldPath(issue.path);
  if (value === undefined) throw new SvcError('usage', `${field} is required`);
  throw new SvcError('usage', `${field && `${field}: `}${explainIssue(issue, value)}`);
}
