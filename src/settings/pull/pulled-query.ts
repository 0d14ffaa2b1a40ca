import { READABLE_KINDS, type ReadableKind } from '../../catalog/record-kinds.ts';
import { SvcError } from '../../kernel/errors.ts';
import { queryDeclared, queryKinds } from '../live/declared-query.ts';
import type { LiveQuery, LiveRecord, LiveRecords } from '../live-records.ts';
import { collectLiveRecords, isMissing } from '../plan/compare.ts';
import type { Declared } from '../settings.ts';
import type { PulledList } from './pulled-records.ts';

export interface PullSelection {
  /** Organizations whose folders and documents to pull, besides the declared ones. */
  readonly orgs: readonly string[];
  /** Kinds to pull (default: the declared kinds; without a file, configurations and endpoints). */
  readonly only: readonly string[] | undefined;
}

/**
 * Returns the kinds to pull, and the query for their records.
 * @throws SvcError `usage` for kinds that cannot be read, and for folders and documents without an
 * organization
 */
export function queryPulled(declared: Declared, { orgs, only }: PullSelection) {
  const unreadable = only?.find((kind) => !READABLE_KINDS.some((known) => known === kind));
  if (unreadable)
    throw new SvcError('usage', `--only ${unreadable}: ${unreadable} cannot be read back`);
  const kinds = new Set(
    READABLE_KINDS.filter((kind) => only?.includes(kind) ?? isDefault(kind, declared, orgs)),
  );
  const { organizations = [], folders = [] } = declared;
  const known = [
    ...orgs,
    ...[...organizations, ...folders].map(({ organizationId }) => String(organizationId)),
  ];
  const named = { folders: [...new Set(known)], documents: [...new Set(orgs)] };
  for (const kind of ['folders', 'documents'] as const)
    if (kinds.has(kind) && named[kind].length === 0)
      throw new SvcError('usage', `${kind} require an organization`, { hint: 'add --org <id>' });
  const { configs, documents, agents } = queryDeclared(declared);
  const all = queryKinds([...kinds], named.folders);
  const query: LiveQuery = {
    ...all,
    configs: declared.config && kinds.has('config') ? configs : all.configs,
    documents: all.documents
      .filter(({ organizationId }) => orgs.includes(organizationId))
      .map((part) => {
        const own = documents.find(({ organizationId }) => organizationId === part.organizationId);
        return { ...part, folders: own?.folders ?? [] };
      }),
    agents: only ? all.agents : kinds.has('agents') ? agents : [],
  };
  return { kinds, query };
}

function isDefault(kind: ReadableKind, declared: Declared, orgs: readonly string[]): boolean {
  if (kind === 'documents') return false;
  if (kind === 'folders' && orgs.length > 0) return true;
  const isEmpty = READABLE_KINDS.every((other) => declared[other] === undefined);
  return isEmpty ? kind === 'config' || kind === 'endpoints' : declared[kind] !== undefined;
}

export function wasRead(
  live: LiveRecords,
  kind: PulledList,
  { organizationId }: LiveRecord,
): boolean {
  const byOrganization = kind === 'folders' || kind === 'documents';
  const reading = byOrganization ? live[kind].get(String(organizationId)) : live[kind];
  return reading?.records !== undefined;
}

export interface Unreadable {
  /** Names the records, with the reason. */
  readonly text: string;
  /** Whether the workspace lacks a feature without which there are no such records. */
  readonly isMissing: boolean;
  readonly problem: SvcError;
}

/** Lists the kinds that could not be read. */
export function findUnreadable(live: LiveRecords): readonly Unreadable[] {
  return collectLiveRecords(live).unreadable.map((part) => {
    const { kind, org, id, problem } = part;
    const name = `${kind}${org === null ? '' : ` of ${org}`}${id === null ? '' : ` ${id}`}`;
    return {
      text: `${name} could not be read: ${problem.message}`,
      isMissing: isMissing(part),
      problem,
    };
  });
}
