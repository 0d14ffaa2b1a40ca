import type * as z from 'zod/mini';
import { deriveFlags, type Flag } from '../flags.ts';
import { definitionOf, shapeOf } from '../introspect.ts';
import type { AdminOperation } from './define.ts';
import {
  ADMIN_SUBJECTS,
  type AdminOperationName,
  type AdminSubject,
  loadAdminOperations,
} from './index.ts';

/** An argument of a command. With `many`, it takes all remaining words. */
export interface AdminArgument extends Flag {
  readonly many?: true;
}

type CopiedField =
  | 'command'
  | 'summary'
  | 'description'
  | 'examples'
  | 'effect'
  | 'needs'
  | 'path'
  | 'columns'
  | 'selectedBy';

/** An operation of the admin API as plain data, so that commands and routes load no schemas. */
export interface AdminEntry extends Pick<AdminOperation, CopiedField> {
  readonly name: AdminOperationName;
  readonly subject: AdminSubject;
  readonly flags: readonly Flag[];
  readonly arguments: readonly AdminArgument[];
  /** Fields with only one possible value, and empty objects for fields with fields. */
  readonly given: Readonly<Record<string, unknown>>;
}

/** The operations of the admin API. The build replaces this module with the computed entries. */
export const adminEntries: readonly AdminEntry[] = (
  await Promise.all(ADMIN_SUBJECTS.map(entriesOf))
).flat();

async function entriesOf(subject: AdminSubject): Promise<readonly AdminEntry[]> {
  const operations: Readonly<Record<string, AdminOperation>> = await loadAdminOperations(subject);
  return Object.entries(operations).map(([name, operation]) => {
    const {
      input,
      output: _,
      auth: __,
      secrets: ___,
      arguments: operands = [],
      ...copied
    } = operation;
    const all = deriveFlags({ input });
    const isOperand = ({ path: [field] }: Flag) => operands.some((each) => each.field === field);
    return {
      ...copied,
      name: name as AdminOperationName,
      subject,
      flags: all.filter((flag) => !isOperand(flag)),
      arguments: operands.flatMap(({ field, many }) =>
        all
          .filter(({ path }) => path[0] === field)
          .map((flag) => ({ ...flag, ...(many && { many }) })),
      ),
      given: givenFields(input),
    };
  });
}

function givenFields(input: z.ZodMiniObject): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(shapeOf(input)).flatMap(([field, schema]): readonly [string, unknown][] => {
      const { type, values } = definitionOf(schema);
      if (type === 'literal') return [[field, values?.[0]]];
      return type === 'object' ? [[field, {}]] : [];
    }),
  );
}
