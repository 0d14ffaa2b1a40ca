import type { ContentKind, SettingsKind } from '../catalog/record-kinds.ts';
import type { State } from '../catalog/state.ts';
import type { SecretValue } from './secret-value.ts';

export type Kind = SettingsKind;
/** Kind of a record that is read. Only `svc compare` reads API keys. */
export type RecordKind = Kind | 'apiKeys';

/** A declared record: fields of the API, with a `SecretValue` in place of each secret. */
export interface DeclaredRecord {
  readonly [field: string]: unknown;
}

/**
 * The records that a settings file declares, by kind. A kind that the file does not mention is
 * absent.
 */
export type Declared = {
  readonly [List in Exclude<Kind, 'users' | 'config'>]?: readonly DeclaredRecord[];
} & {
  /** With `from`, a file of users, which is never read into memory as a whole. */
  readonly users?: readonly DeclaredRecord[] | DeclaredUsersFile;
  /**
   * Declared fields of each configuration: `webhook`, `advancedWebhooks`, `email`,
   * `permissionProvider`.
   */
  readonly config?: { readonly [service: string]: DeclaredRecord };
};

export interface DeclaredUsersFile {
  /** Absolute path. */
  readonly from: string;
  readonly sha256: string;
}

/**
 * Returns the organization of all declared records, if it is the same. It is the organization of
 * users without one.
 */
export function findOnlyOrganization({
  organizations = [],
  folders = [],
  documents = [],
  groups = [],
}: Declared) {
  const records = [organizations, folders, documents, groups].flat();
  const [only, ...others] = new Set(records.map(({ organizationId }) => String(organizationId)));
  return others.length === 0 ? only : undefined;
}

/**
 * A settings file for one environment: variables and overlays are applied, secrets are read on
 * demand.
 */
export interface DeclaredSettings {
  readonly name: string;
  /** Owner of endpoints: their uids start with `<stack>.`. */
  readonly stack: string | undefined;
  readonly environment: string | undefined;
  readonly profile: string | undefined;
  /** All environments that the file declares. */
  readonly environments: readonly DeclaredEnvironment[];
  readonly declared: Declared;
  /** Content of the file that only `svc local import` uses, such as `crdt` and `activities`. */
  readonly content: Partial<Omit<State, Kind>>;
  readonly secrets: readonly SecretValue[];
  /**
   * Every file that was read, including the file of `users.from`, but without the files of secrets.
   */
  readonly files: readonly SettingsFile[];
  /**
   * Formats the position of a declared value for messages: `svc.yaml:12:5`. The first call parses the
   * texts of the files again: of a large file, the parsed text takes several times the memory of its values.
   */
  readonly positionOf: (path: readonly PropertyKey[]) => Promise<string>;
}

/** An environment of a settings file, and the target that it is for. */
export interface DeclaredEnvironment {
  readonly name: string;
  readonly profile?: string;
  readonly baseUrl?: string;
}

export interface SettingsFile {
  readonly path: string;
  readonly sha256: string;
}

/** Identifies a record across reads, plans, and jobs. */
export type RecordKey = string;
const escapePart = (part: string) =>
  /[%/]/.test(part) ? part.replace(/[%/]/g, encodeURIComponent) : part;
const unescapePart = (part: string) => part.replace(/%25|%2F/g, decodeURIComponent);

/** Creates the key of a record. Only `svc compare` uses keys of content. */
export function createRecordKey(
  kind: RecordKind | ContentKind,
  org: string | null,
  ...ids: readonly string[]
): RecordKey {
  return [kind, org ?? '', ...ids].map(escapePart).join('/');
}

export function parseRecordKey(key: RecordKey): {
  readonly kind: RecordKind;
  readonly org: string;
  readonly id: string;
} {
  const [kind = '', org = '', id = ''] = key.split('/').map(unescapePart);
  return { kind: kind as RecordKind, org, id };
}
