import type * as z from 'zod/mini';
import type { Hint } from '../kernel/errors.ts';
import type { SettingsKind } from './record-kinds.ts';
import type { KnownValues } from './sample-data.ts';

/**
 * Credential headers of an operation: API key and auth token, workspace ID and workspace auth
 * token, or none.
 */
export type Auth = 'key' | 'workspace' | 'none';

/**
 * Effect of a call on the service's state. Determines retries, confirmation, and whether
 * `--dry-run` sends the call.
 * - `read` changes nothing. Safe to retry.
 * - `keyed` writes records under IDs chosen by the caller. Safe to retry.
 * - `set` replaces fields. Retried once.
 * - `delete` removes records. Retried; "not found" after an attempt with unknown outcome counts as
 * success.
 * - `once` is not idempotent and is never retried blindly.
 */
export type Effect = 'read' | 'keyed' | 'set' | 'delete' | 'once';

/**
 * `whole` columns (IDs) are never truncated; `time` is Unix milliseconds or ISO text; `state` is a
 * status word; `operation` is the name of an operation, shown as its command; `count` and `bytes` are
 * numbers.
 */
export interface Column {
  readonly header: string;
  readonly field: string;
  readonly kind?: 'text' | 'time' | 'state' | 'whole' | 'operation' | 'count' | 'bytes';
  /**
   * Order in which columns are hidden if the terminal is too narrow: 1 is hidden first. Always
   * shown if absent.
   */
  readonly hideOrder?: number;
  /** Whether only data formats such as CSV have the column. */
  readonly isHiddenInTables?: true;
  /** Whether to leave out the column if no record of the first page has a value. */
  readonly isOptional?: true;
}

/**
 * Pagination by an opaque cursor: sent in the request's `data`, returned in the response's `result`
 * or its `data`.
 */
export interface Pages<Data = unknown> {
  readonly cursorIn: string;
  /**
   * Returns the next cursor. `data` is null if the service sent none. Undefined, null, and '' mean
   * the last page.
   */
  readonly cursorOut: (result: Readonly<Record<string, unknown>>, data: Data | null) => unknown;
  /**
   * Whether data indicates more pages independently of the cursor; a missing cursor is then an
   * error.
   */
  readonly hasMore?: (data: Data) => boolean;
  /** Pages are objects of arrays, which `--all` merges array by array. */
  readonly merge?: true;
}

/** How an operation accepts many records: as an array field, with one result per record ID. */
export interface Bulk<Field extends string = string> {
  /** The array field; without one, each record is a separate call. */
  readonly field?: Field;
  readonly id: string;
  readonly noun: string;
  /** Description of the object that a write changes (default: the record): `presence of user`. */
  readonly object?: string;
  /** The array contains IDs instead of records; a file may contain either. */
  readonly bareIds?: true;
  /**
   * The ID is optional; svc generates a missing one before the call, so that a retry cannot add the
   * record twice.
   */
  readonly generatesIds?: true;
  /** The response is one `success` for all records instead of one per record. */
  readonly sharedResult?: true;
  /** A success with empty data (`{}`) applies to all records of the request. */
  readonly emptyDataIsSuccess?: true;
  /** Records may depend on earlier ones, so requests are sent sequentially by default. */
  readonly inOrder?: true;
  /** The field with the ID of the record that contains a record. Parents are sent first. */
  readonly parent?: string;
  /** Set if the service rejects existing records. Describes how `--if-exists` can handle them. */
  readonly ifExists?: { readonly update?: string };
  readonly listed?: ListedRecords;
  readonly lookup?: BulkLookup;
}

/**
 * Fields of a listed record that cannot be sent. Without them, the output of a list command is
 * valid input.
 */
export interface ListedRecords {
  /** The ID property of a listed record (default: the same as in a record to send). */
  readonly id?: string;
  readonly readOnly: readonly string[];
  /**
   * A field whose value is inherited if `flag` is true. Such a record is sent without the field.
   */
  readonly inherited?: { readonly field: string; readonly flag: string };
  /** A field with nested records, which are sent as separate records. */
  readonly nested?: string;
  /**
   * The records have an access role, and a list of their memberships can be sent, too: in
   * organizations, folders, and documents, unless they end.
   */
  readonly hasMemberships?: true;
  /** A target that lists lack, and the warning if neither the records nor the command set it. */
  readonly lost?: { readonly field: string; readonly warning: string };
}

/**
 * A read operation that returns existing records: by ID if it has `splitIds`, otherwise all
 * records.
 */
export interface BulkLookup {
  readonly operation: string;
  readonly idField: string;
  /** Fields to copy from the write's input to the read's input, if present. */
  readonly sharedFields: readonly string[];
  /**
   * Fields that must be equal in the existing record and the record sent, if present in the latter.
   */
  readonly matchingFields: readonly string[];
}

export interface Argument<Field extends string = string> {
  readonly field: Field;
  readonly many?: true;
}

/**
 * A list of IDs with a maximum length: the client splits longer lists into several requests and
 * reports IDs without a record.
 */
export interface SplitIds {
  readonly field: string;
  readonly max: number;
  /** The property of a returned record that contains the requested ID. */
  readonly recordId: string;
}

/**
 * Kinds of records that a write may create implicitly, because it refers to an ID that does not
 * exist.
 */
export type ParentKind = 'organization' | 'user';

/**
 * A record that a write creates if it does not exist. For an organization, both IDs are the same.
 */
export interface Parent {
  readonly kind: ParentKind;
  readonly id: string;
  readonly organizationId: string;
}

/**
 * The records that a write creates if they do not exist. A mistyped ID creates an unwanted record.
 */
export interface CreatedParents<Input = Readonly<Record<string, unknown>>> {
  readonly kinds: readonly ParentKind[];
  readonly of: (input: Input) => readonly Parent[];
}

type VersionedPath = `/${'v1' | 'v2'}/${string}`;

/** Another path of an operation, which clients of the family use. */
export interface PathAlias {
  readonly path: VersionedPath;
  /** Converts the data of an older request (default: the data is the same). */
  readonly convert?: (data: unknown) => unknown;
}

export const FEATURES = ['advanced-queries', 'advanced-webhooks'] as const;
export type Feature = (typeof FEATURES)[number];

export interface InputProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** How to wait for a process that a call started. The client polls its state. */
export interface Wait {
  readonly status: string;
  /** Input fields of the status operation, copied from the original call's input or response. */
  readonly inputFields: readonly string[];
  /** The field that contains the state, and the two final states. */
  readonly state: string;
  readonly succeeded: string;
  readonly failed: string;
}

export interface Lookup {
  /**
   * Name of the operation to call. May be the write itself, if a second call reveals the outcome.
   */
  readonly operation: string;
  /**
   * Maps each input field of that operation to paths in the write's input: the first path with a
   * value applies.
   */
  readonly inputFields: Readonly<Record<string, string | readonly string[]>>;
  /** How to interpret the response, if not obvious. */
  readonly interpretation?: string;
  readonly created?: CreatedRecord;
}

export interface CreatedRecord {
  readonly list: string;
  readonly idField: string;
  /**
   * Fields that must equal the write's input. A record with the same ID and different values is a
   * different record.
   */
  readonly matchingFields: readonly string[];
  /** Whether a missing record proves that the write was not applied. */
  readonly absenceMeansNotApplied: boolean;
  /** Derives the write's response data from the record. */
  readonly data: (record: Readonly<Record<string, unknown>>) => unknown;
}

/**
 * Role of an operation in settings files: reads, writes records of a kind, or writes something that
 * is not a setting.
 */
export type SettingsRole =
  | 'read'
  | { readonly writes: SettingsKind }
  | { readonly notSettings: string };

export type Examples = Readonly<Record<string, string>>;

/**
 * One operation of the service as a value. Defines the command with its flags, help, completion,
 * and validation, the embedded service's route and checks, and the headers of raw calls.
 */
export interface Operation<
  Input extends z.ZodMiniObject = z.ZodMiniObject,
  Output extends z.ZodMiniType = z.ZodMiniType,
  Kind extends Auth = Auth,
> {
  readonly command: readonly [string, ...string[]];
  readonly summary: string;
  readonly description?: string;
  /** Examples that show more than `sample` does, such as files. Help shows the sample first. */
  readonly examples?: Examples;
  /**
   * Path relative to the base URL. The first segment is the version that `--api-version` selects if
   * a command has several.
   */
  readonly path: VersionedPath;
  /** Paths at which the embedded service offers the operation too. */
  readonly aliases?: readonly PathAlias[];
  readonly auth: Kind;
  readonly effect: Effect;
  readonly input: Input;
  readonly output: Output;
  /** `result.message` of a successful response. */
  readonly message: string | ((input: z.output<Input>) => string);
  /** Table columns of the records. Without columns, the result is printed as names and values. */
  readonly columns?: readonly Column[];
  /** Name of the operation that adds records, suggested if the list is empty. */
  readonly addedBy?: string;
  /**
   * The field of the response's data that contains the records of a list command (default: the data
   * itself).
   */
  readonly records?: keyof z.output<Output> & string;
  readonly pages?: Pages<z.output<Output>>;
  readonly bulk?: Bulk<keyof z.output<Input> & string>;
  readonly splitIds?: SplitIds;
  /** Field that selects one record of a list by its ID. If given, an empty list means NOT_FOUND. */
  readonly singleRecordId?: keyof z.output<Input> & string;
  /** Field of a record of `singleRecordId` with the records below it, shown as rows of the table. */
  readonly children?: string;
  readonly argument?: Argument<keyof z.output<Input> & string>;
  /** ID field that the client generates if it is missing, so that a retry cannot apply twice. */
  readonly generatedId?: keyof z.output<Input> & string;
  /** Confirmation question for a risky call. Without a terminal, `--yes` is required. */
  readonly confirm?: (input: z.output<Input>) => string | undefined;
  readonly createsParents?: CreatedParents<z.output<Input>>;
  readonly lookup?: Lookup;
  /** The process continues after the response: `--wait` waits for its end. */
  readonly wait?: Wait;
  readonly warnings?: (input: z.output<Input>) => readonly (string | Hint)[];
  /**
   * Returns the event types in an input. Commands reject misspelled ones, because a mistyped filter
   * never matches a delivery, and warn about other unknown types.
   */
  readonly eventTypes?: (input: z.output<Input>) => readonly string[];
  /**
   * Facts about a successful call that the response does not show. `now` is in Unix milliseconds.
   */
  readonly notes?: (input: z.output<Input>, now: number) => readonly string[];
  /** Finds a time in a valid input that is before `now`, in Unix milliseconds. */
  readonly findPastValue?: (input: z.output<Input>, now: number) => InputProblem | undefined;
  /**
   * Overrides the service's message for an invalid input (default: the field's name and the
   * problem).
   */
  readonly rejectionMessage?: (finding: InputProblem) => string | undefined;
  /** Field whose presence selects this operation among several with the same path. */
  readonly selectedBy?: string;
  /** A job replaces values that can be read first, so that `svc undo` can restore them. */
  readonly canUndo?: true;
  readonly settings: SettingsRole;
  /**
   * A valid input with every field, the most important ones first. Tests and the comparison of
   * contracts send it to a service with the sample state, and help shows its first fields.
   */
  readonly sample: (known: KnownValues) => z.input<Input>;
  /** A sentence about a choice of the embedded service that the API's description leaves open. */
  readonly decision: string;
  /** Whether the API's description specifies the operation (default: true), or only names it. */
  readonly isDocumented?: false;
  /** The call issues a credential, so the history records it although it changes nothing. */
  readonly issuesCredential?: true;
  /** The purpose of the command is to print secrets, so they are not masked. */
  readonly revealsSecrets?: true;
  readonly quietValue?: (data: z.output<Output>) => string;
  /** Feature without which the service responds with FAILED_PRECONDITION. */
  readonly feature?: Feature;
}

/**
 * Type-checks an operation, and adds the default `auth`, an API key, and the command:
 * `users.add.v2` is a version of `users add`.
 */
export function defineOperation<
  Input extends z.ZodMiniObject,
  Output extends z.ZodMiniType,
  Kind extends Auth = 'key',
>(
  name: `${string}.${string}`,
  operation: Omit<Operation<Input, Output, Kind>, 'auth' | 'command'> & { readonly auth?: Kind },
): Operation<Input, Output, Kind> {
  const [first = '', ...rest] = name.replace(/\.v\d$/, '').split('.');
  return { auth: 'key' as Kind, ...operation, command: [first, ...rest] };
}
