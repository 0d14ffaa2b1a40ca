import type {
  AdminInput,
  AdminOperationName,
  AdminOperationsOf,
  AdminOutput,
  AdminSubject,
} from '../../catalog/local/index.ts';

/** Executes an operation of the admin API with a checked input. */
export type AdminHandler<Name extends AdminOperationName, Context> = (
  context: Context,
  input: AdminInput<Name>,
) => Promise<AdminOutput<Name>>;

/** The handlers of a subject. `Context` is what they need of the service. */
export type AdminHandlers<Subject extends AdminSubject, Context> = {
  readonly [Name in keyof AdminOperationsOf<Subject> & AdminOperationName]: AdminHandler<
    Name,
    Context
  >;
};
