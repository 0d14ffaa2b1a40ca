import type * as z from 'zod/mini';
import type { OperationName as Name, Operations } from '../catalog/index.ts';

/**
 * Input and output types of each operation, by name. The published package contains these types
 * written out, without a dependency on the schema library that they are derived from here.
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
