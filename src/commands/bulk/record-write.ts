import type { BulkSummary } from '../../bulk/summary.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { mentionsQuota } from '../../client/service-failure.ts';
import { interpretStatus, isKnownStatus } from '../../client/status.ts';
import { type Failure, type Hint, SvcError } from '../../kernel/errors.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { pluralize } from '../../kernel/plural.ts';
import { withHint } from '../call/error-hints.ts';

export interface RecordWrite {
  readonly entry: OperationEntry;
  readonly fields: BulkFields;
  readonly data: Readonly<Record<string, unknown>>;
  readonly id: string;
}

const VERBS = {
  add: { past: 'Added', preposition: 'to' },
  update: { past: 'Updated', preposition: 'in' },
  delete: { past: 'Deleted', preposition: 'from' },
} as const;

/**
 * Input fields that name the target of a record, from the innermost to the outermost, with their
 * labels.
 */
const TARGETS = [
  ['organizationUserGroupId', 'group '],
  ['documentId', 'document '],
  ['folderId', 'folder '],
  ['organizationId', ''],
] as const;

export function describeWrite(
  write: RecordWrite,
  { created, updated, unchanged, existing }: BulkSummary,
): string {
  const { past, preposition } = verbOf(write);
  const name = nameOf(write);
  const inTarget = withTarget(write, 'in');
  if (existing) return `Skipped ${name}: it already exists${inTarget}`;
  if (unchanged) return `No changes to ${name}${inTarget}`;
  if (updated) return `Updated ${name}${inTarget}`;
  return created
    ? `Created ${name}${inTarget}`
    : `${past} ${name}${withTarget(write, preposition)}`;
}

export function describeUnknownWrite(write: RecordWrite): string {
  const { past, preposition } = verbOf(write);
  return `${nameOf(write)} may or may not have been ${past.toLowerCase()}${withTarget(write, preposition)}`;
}

export function createWriteError(
  write: RecordWrite,
  { message, code }: Pick<BulkSummary['failures'][number], 'message' | 'code'>,
  nextStep: string | Hint | undefined,
): SvcError {
  const { verb, preposition } = verbOf(write);
  const status = code?.toUpperCase().replaceAll('-', '_');
  const reason = message ?? code ?? 'the service gave no reason';
  const failure = failureOf(status, reason);
  const isQuota = failure === 'resource_exhausted' && mentionsQuota(reason);
  const hint = nextStep ?? failureHint(write, new SvcError(failure, reason));
  return new SvcError(
    failure,
    `could not ${verb} ${nameOf(write)}${withTarget(write, preposition)}: ${reason}`,
    {
      ...(hint !== undefined && { hint }),
      ...(isQuota && { retryable: false }),
      ...(status !== undefined && isKnownStatus(status) && { status }),
    },
  );
}

/** Determines the kind of a record's failure. Without a known code, the message decides. */
function failureOf(status: string | undefined, message: string): Failure {
  if (isKnownStatus(status)) return interpretStatus(status, 200).failure;
  if (/\b(?:not found|does not exist)\b/i.test(message)) return 'not_found';
  return /\balready exists\b/i.test(message) ? 'already_exists' : 'invalid_argument';
}

function failureHint(
  { entry, fields, data }: RecordWrite,
  error: SvcError,
): string | Hint | undefined {
  const { ifExists, noun } = fields;
  if (error.failure !== 'already_exists' || !ifExists)
    return withHint(entry, data, error).structuredHint;
  const update = ifExists.update ? ', or --if-exists update to update them' : '';
  return `add --if-exists skip to leave existing ${pluralize(noun)} unchanged${update}`;
}

function verbOf({ entry }: RecordWrite) {
  const verb = (entry.command.at(-1)?.split('-')[0] ?? 'add') as keyof typeof VERBS;
  return { verb, ...VERBS[verb] };
}

function nameOf({ fields: { object, noun }, id }: RecordWrite): string {
  return `${object ?? noun} ${quoteId(id)}`;
}

function withTarget({ data }: RecordWrite, preposition: string): string {
  const targets = TARGETS.flatMap(([field, noun]) =>
    data[field] === undefined ? [] : [`${noun}${quoteId(String(data[field]))}`],
  );
  return targets.length > 0 ? ` ${preposition} ${targets.join(' in ')}` : '';
}
