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

/**
 * One column of a table. `whole` columns (ids) are never cut; `time` cells hold milliseconds since the epoch or ISO
 * text, `state` cells a word for how something stands.
 */
export interface Column {
  readonly header: string;
  readonly field: string;
  readonly kind?: 'text' | 'time' | 'state' | 'whole';
  /** Given up where a terminal has no room for all: it says little, or what is said elsewhere. */
  readonly extra?: true;
}

/** Paging by an opaque cursor that goes out in the request's `data` and comes back beside or inside the reply's. */
export interface Pages<Data = unknown> {
  readonly cursorIn: string;
  /**
   * Reads the next cursor from the whole `result` and its data, which is null when the service sent none; nothing, null or
   * an empty string is the last page.
   */
  readonly cursorOut: (result: Readonly<Record<string, unknown>>, data: Data | null) => unknown;
  /** Whether data says that more pages follow, where it says so beside the cursor: then a missing cursor is a fault. */
  readonly hasMore?: (data: Data) => boolean;
  /** A page is an object of arrays, and `--all` merges them array by array. */
  readonly merge?: true;
}

/** How an operation takes many records: as the array in one of its fields, each answered under its own id. */
export interface Bulk<Field extends string = string> {
  /** The array; where there is none, each record is a call of its own. */
  readonly field?: Field;
  /** The property of a record that holds its id. */
  readonly id: string;
  /** One record, for messages: `user`. */
  readonly noun: string;
  /** The array holds bare ids instead of records; a file may hold either. */
  readonly bareIds?: true;
  /** The id may be left out, and is made up before the call, so that a repeated call cannot add twice. */
  readonly mints?: true;
  /** The reply is one `success` for all records instead of one each. */
  readonly wholeReply?: true;
  /** A record may build on those before it, so that requests go out one after another unless the user says otherwise. */
  readonly inOrder?: true;
  /** Where to see whether a record that exists already is the one that was sent. */
  readonly lookup?: BulkLookup;
}

/** A read that shows such records: by their ids where its `splitIds` says how to name them, else all there are. */
export interface BulkLookup {
  readonly operation: string;
  /** The id of a record that it shows. */
  readonly id: string;
  /** Fields of the write's input that the read takes too, where they are there. */
  readonly shared: readonly string[];
  /** Fields in which a record that is there agrees with the one that was sent, where that has them. */
  readonly same: readonly string[];
}

/** A value given as a word of its own instead of a flag: `agents get <agentId>`. `many` makes one call for each. */
export interface Argument<Field extends string = string> {
  readonly field: Field;
  readonly many?: true;
}

/** A list of ids that the service limits: the client sends it in parts and reports ids that no record came back for. */
export interface SplitIds {
  readonly field: string;
  readonly most: number;
  /** The property of a returned record that holds the id asked for. */
  readonly recordId: string;
}

/** A part of the service that can be switched off as a whole. */
export const FEATURES = ['advanced-queries', 'advanced-webhooks'] as const;
export type Feature = (typeof FEATURES)[number];

/** One thing that is wrong with an input, and where. */
export interface Finding {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** How the end of what a call started is waited for: by asking for its state again and again. */
export interface Wait {
  /** The operation that answers with the state, by name. */
  readonly status: string;
  /** The fields that it takes: from the input of the call that started it, or from its reply. */
  readonly by: readonly string[];
  /** The field of its data that holds the state, and the two states that are an end. */
  readonly state: string;
  readonly succeeded: string;
  readonly failed: string;
}

/** Where to look for what became of a write that got no answer. */
export interface Lookup {
  /** The operation that shows it, by name; one that is called again where that tells. */
  readonly operation: string;
  /** Its input: each field from the place in the write's input, or from the first of several that is there. */
  readonly by: Readonly<Record<string, string | readonly string[]>>;
  /** What the answer says of the write, where it is not plain. */
  readonly tells?: string;
  /** The record that the write makes, which can be looked for without anybody's help. */
  readonly made?: MadeRecord;
}

export interface MadeRecord {
  /** The list of the answer's data that holds it. */
  readonly list: string;
  /** Its id, a field of the same name in the write's input. */
  readonly id: string;
  /** Fields that it has in common with the write's input. A record of this id that differs in them is another one. */
  readonly same: readonly string[];
  /** Where there is no such record the write was not applied. Otherwise it may only not be shown there. */
  readonly absenceTells: boolean;
  /** What the write would have answered. */
  readonly data: (record: Readonly<Record<string, unknown>>) => unknown;
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
  /** The operation that adds to its records, by name: what is said where there are none. */
  readonly addedBy?: string;
  /** The field of the reply's data that holds the records of a list command; without it they are the data itself. */
  readonly records?: keyof z.output<Output> & string;
  readonly pages?: Pages<z.output<Output>>;
  readonly bulk?: Bulk<keyof z.output<Input> & string>;
  readonly splitIds?: SplitIds;
  /** A field that asks for one record of a list by its ID. An empty list then means the same as NOT_FOUND. */
  readonly oneById?: keyof z.output<Input> & string;
  readonly argument?: Argument<keyof z.output<Input> & string>;
  /** An id that the client makes up when it is left out, so that a repeated call cannot apply twice. */
  readonly mints?: keyof z.output<Input> & string;
  /** The question asked before the call, where it can hurt. Without a terminal it takes `--yes`. */
  readonly confirm?: (input: z.output<Input>) => string | undefined;
  /** How one finds out whether it was applied, when no answer came. */
  readonly lookup?: Lookup;
  /** What it starts goes on after its reply: `--wait` stays until the end. */
  readonly wait?: Wait;
  /** What the user should know before it is sent, though it may be right. */
  readonly warnings?: (input: z.output<Input>) => readonly string[];
  /** What of a valid input lies in the past at a moment, in milliseconds since the epoch. */
  readonly outdated?: (input: z.output<Input>, now: number) => Finding | undefined;
  /** What the service answers where an input is not valid, if not the field's name and what is wrong with it. */
  readonly refusal?: (finding: Finding) => string | undefined;
  /** Of several operations on one path, this one is meant when the field is given. */
  readonly chosenBy?: string;
  /** The reply's secrets are what the command is for: they are printed, not masked. */
  readonly revealsSecrets?: true;
  /** What `--quiet` prints instead of the whole reply: the one value a script wants. */
  readonly bare?: (data: z.output<Output>) => string;
  /** A switch of the service without which the operation answers FAILED_PRECONDITION. */
  readonly feature?: Feature;
}

/** Checks an operation's shape at compile time and hands it back unchanged. */
export function defineOperation<Input extends z.ZodObject, Output extends z.ZodType, Kind extends Auth>(
  operation: Operation<Input, Output, Kind>,
): Operation<Input, Output, Kind> {
  return operation;
}
