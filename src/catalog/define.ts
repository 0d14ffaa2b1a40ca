import type * as z from 'zod';

/** Which headers an operation carries: the API key's pair, the workspace's pair, or none. */
export type Auth = 'key' | 'workspace' | 'none';

/**
 * What a call does to the service's state, which decides its retries, its confirmation and whether `--dry-run`
 * lets it pass.
 * - `read` changes nothing. Safe to repeat.
 * - `keyed` writes records under ids that the caller chose. Safe to repeat.
 * - `set` replaces fields. Repeated once.
 * - `delete` removes. Repeated; "not found" after an attempt of unknown outcome is success.
 * - `once` must never be repeated blindly.
 */
export type Effect = 'read' | 'keyed' | 'set' | 'delete' | 'once';

/** One column of a table. `whole` columns (ids) are never cut; `time` cells hold milliseconds since the epoch or ISO text. */
export interface Column {
  readonly header: string;
  readonly field: string;
  readonly kind?: 'text' | 'time' | 'whole';
}

/** Paging by an opaque cursor that goes out in the request's `data` and comes back beside or inside the reply's. */
export interface Pages {
  readonly cursorIn: string;
  /** Reads the next cursor from the whole `result`; nothing, null or an empty string means the last page. */
  readonly cursorOut: (result: Readonly<Record<string, unknown>>) => unknown;
  readonly sizeIn?: string;
}

/** The array of an operation that takes many records, each answered under its own id. */
export interface Bulk<Field extends string = string> {
  readonly field: Field;
  /** The property of a record that holds its id. */
  readonly id: string;
  /** One record, for messages: `user`. */
  readonly noun: string;
}

/** A list of ids that the service limits: the client sends it in parts and reports ids that no record came back for. */
export interface SplitIds {
  readonly field: string;
  readonly most: number;
  /** The property of a returned record that holds the id asked for. */
  readonly recordId: string;
}

export interface Example {
  readonly command: string;
  readonly does: string;
}

/**
 * One operation of the service as a value. Its command, flags, help, completion and validation, the service's route
 * and checks, and the raw call's headers all follow from it.
 */
export interface Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Kind extends Auth = Auth,
> {
  readonly command: readonly [string, ...string[]];
  readonly summary: string;
  readonly description?: string;
  readonly examples?: readonly Example[];
  /** Below the base URL. Its first part is the version that `--api-version` selects where a command has several. */
  readonly path: `/${'v1' | 'v2'}/${string}`;
  readonly auth: Kind;
  readonly effect: Effect;
  readonly input: Input;
  readonly output: Output;
  /** `result.message` of a success. */
  readonly message: string | ((input: z.output<Input>) => string);
  /** Columns of its records; an operation that returns one object is printed as name and value. */
  readonly columns?: readonly Column[];
  readonly pages?: Pages;
  readonly bulk?: Bulk<keyof z.output<Input> & string>;
  readonly splitIds?: SplitIds;
  /** The question asked before the call, with `{field}` for values of the input. Without a terminal it takes `--yes`. */
  readonly confirm?: string;
  /** The reply's secrets are what the command is for: they are printed, not masked. */
  readonly revealsSecrets?: true;
  /** What `--quiet` prints instead of the whole reply: the one value a script wants. */
  readonly bare?: (data: z.output<Output>) => string;
  /** A switch of the service without which the operation answers FAILED_PRECONDITION. */
  readonly feature?: 'advanced-queries' | 'advanced-webhooks';
}

/** Checks an operation's shape at compile time and hands it back unchanged. */
export function defineOperation<Input extends z.ZodObject, Output extends z.ZodType, Kind extends Auth>(
  operation: Operation<Input, Output, Kind>,
): Operation<Input, Output, Kind> {
  return operation;
}
