import type * as z from 'zod';
import type { OperationName as Name, Operations } from '../catalog/index.ts';

/**
 * What each operation takes and answers with, by its name. Whoever installs the package gets this file's types written
 * out, without the library that they are derived with here.
 */
export type OperationTypes = {
  readonly [Operation in Name]: {
    readonly input: z.input<Operations[Operation]['input']>;
    readonly output: z.output<Operations[Operation]['output']>;
  };
};

export type OperationName = keyof OperationTypes;
export type Input<Operation extends OperationName> = OperationTypes[Operation]['input'];
export type Output<Operation extends OperationName> = OperationTypes[Operation]['output'];
