import type * as z from 'zod/mini';
import { validateBounded } from '../../catalog/bounded-validation.ts';
import { explainIssue } from '../../catalog/explain-issue.ts';
import type { AdminOperation } from '../../catalog/local/define.ts';
import type { AdminEntry } from '../../catalog/local/entries.ts';
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
import type { AdminHandlers } from './handler.ts';
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

/** Loads the handler of an operation, which must get a checked input. */
export async function loadAdminHandler<Name extends AdminOperationName>(
  name: Name,
): Promise<CheckedHandler<Name>> {
  // `AdminHandlers` guarantees the types, but TypeScript cannot infer this for a union.
  const handlers = (await LOADERS[getAdminEntry(name).subject]()) as {
    readonly [Each in Name]: CheckedHandler<Each>;
  };
  return handlers[name];
}

/** A handler without the type of its input. */
type CheckedHandler<Name extends AdminOperationName> = (
  context: AdminContexts[NeedOf<Name>],
  input: unknown,
) => Promise<AdminOutput<Name>> | AdminOutput<Name>;

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
  const operation = await loadAdminOperation(getAdminEntry(name));
  return (await loadAdminHandler(name))(context, parseAdminInput(operation, data));
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

export async function loadAdminOperation({ subject, name }: AdminEntry): Promise<AdminOperation> {
  const operations: Readonly<Partial<Record<AdminOperationName, AdminOperation>>> =
    await loadAdminOperations(subject);
  const operation = operations[name];
  if (!operation) throw new TypeError(`unknown operation ${name}`);
  return operation;
}

/** @throws SvcError `usage` for the first invalid field */
export function parseAdminInput(
  { input }: AdminOperation,
  data: unknown,
): z.output<AdminOperation['input']> {
  const checked = validateBounded(input, data);
  if (checked.success) return checked.data;
  const [issue] = checked.issues as [z.core.$ZodIssue];
  const value = valueAt(data, issue.path);
  const field = formatFieldPath(issue.path);
  if (value === undefined) throw new SvcError('usage', `${field} is required`);
  throw new SvcError('usage', `${field && `${field}: `}${explainIssue(issue, value)}`);
}
