import type * as z from 'zod/mini';
import type { AdminOperation } from './define.ts';

const LOADERS = {
  clock: async () => (await import('./clock.ts')).clock,
  deliveries: async () => (await import('./deliveries.ts')).deliveries,
  faults: async () => (await import('./faults.ts')).faults,
  records: async () => (await import('./records.ts')).records,
  requests: async () => (await import('./requests.ts')).requests,
  snapshots: async () => (await import('./snapshots.ts')).snapshots,
};

/** A part of the admin API, with its operations in one file. */
export type AdminSubject = keyof typeof LOADERS;
export const ADMIN_SUBJECTS = Object.keys(LOADERS) as readonly AdminSubject[];
export type AdminOperationsOf<Subject extends AdminSubject> = Awaited<
  ReturnType<(typeof LOADERS)[Subject]>
>;

type SubjectsByName = {
  [Subject in AdminSubject as keyof AdminOperationsOf<Subject>]: Subject;
};
export type AdminOperationName = keyof SubjectsByName;
/** Returns the subject that an operation belongs to. */
type SubjectOf<Name extends AdminOperationName> = SubjectsByName[Name];
type Operations = {
  readonly [Name in AdminOperationName]: AdminOperationsOf<SubjectOf<Name>>[Name &
    keyof AdminOperationsOf<SubjectOf<Name>>];
};
type OperationOf<Name extends AdminOperationName> = Operations[Name] & AdminOperation;

/** Returns what an operation needs of the embedded service. */
export type NeedOf<Name extends AdminOperationName> = OperationOf<Name>['needs'];

/** A checked input of an operation. */
export type AdminInput<Name extends AdminOperationName> = z.output<OperationOf<Name>['input']>;
/** An input of an operation before the check, without default values. */
export type AdminData<Name extends AdminOperationName> = z.input<OperationOf<Name>['input']>;
export type AdminOutput<Name extends AdminOperationName> = z.output<OperationOf<Name>['output']>;

export function loadAdminOperations(
  subject: AdminSubject,
): Promise<AdminOperationsOf<AdminSubject>> {
  return LOADERS[subject]();
}
