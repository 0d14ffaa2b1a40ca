import { addAbortListener } from 'node:events';
import { compareFindings, type FileDiagnostic, formatDiagnostic } from '../../bulk/diagnostic.ts';
import { type GroupedRecords, groupIfMixed } from '../../bulk/grouped-records.ts';
import type { JobFolder } from '../../bulk/journal/job-folder.ts';
import { checkRecords } from '../../bulk/record-check.ts';
import {
  type RecordCheck,
  type RecordListener,
  type RecordRules,
  SUSPICIOUS_ID_HINT,
} from '../../bulk/record-checker.ts';
import { createMemoryInput, type RecordInput } from '../../bulk/record-input.ts';
import { createIdGenerator } from '../../bulk/record-preparation.ts';
import { findRecordProblems } from '../../bulk/record-problem.ts';
import { type RecordTarget, RecordTargets } from '../../bulk/record-targets.ts';
import { isIdField, SuspiciousValues } from '../../bulk/suspicious-values.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import type { Flag } from '../../catalog/flags.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { valueAt } from '../../kernel/field-path.ts';
import { formatNounCount, pluralize } from '../../kernel/plural.ts';
import { createFindingsError } from '../call/findings-error.ts';
import { checkTargetIds, nameValue, prefixWithName } from '../call/validation.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../options.ts';
import type { BulkRequest } from './bulk-request.ts';
import { showWarnings } from './confirm-writes.ts';
import { openInputFiles } from './input-files.ts';
import { showCheckProgress } from './show-progress.ts';

/** Paths of the copies of an input. */
export type InputFolder = Pick<JobFolder, 'spool' | 'grouped'>;

/** The records of an input, and what their check found. */
export interface CheckedInput {
  readonly input: RecordInput;
  readonly rules: TargetRules;
  readonly check: RecordCheck;
  /** Fields of the call, without the records. */
  readonly data: BulkRequest['data'];
  /** A copy of the records, grouped by target, if the input mixes targets. */
  readonly grouped: GroupedRecords | undefined;
}

interface TargetRules extends RecordRules {
  readonly targets: RecordTargets;
}

/**
 * Reads and checks the records from files, from `--data`, or from flags. On failure, deletes the
 * copy of piped input.
 * @throws SvcError `usage` for an invalid flag, or unless there is exactly one source; `invalid_input`
 * for an invalid record
 */
export async function gatherInput(
  context: Context,
  entry: OperationEntry,
  fields: BulkFields,
  request: BulkRequest,
  { job, folder }: { readonly job: string; readonly folder: InputFolder | undefined },
  visitRecord: RecordListener | undefined,
): Promise<CheckedInput> {
  checkRecordSource(context, entry, fields, request);
  const reading = copySignal(context.signal);
  const input = await openRecords(
    { ...context, signal: reading.signal },
    entry,
    fields,
    request,
    folder?.spool ?? '',
  );
  try {
    const { data, rules, check } = await checkInput(
      context,
      input,
      fields,
      request,
      { job, effect: entry.effect },
      visitRecord,
    );
    if (!check.isIncomplete) await request.saveColumns?.();
    const format = createFindingFormatter(context, entry, request, check);
    if (!request.isRestarted) await showWarnings(context, check.warnings.map(format));
    if (check.omittedFields.size > 0 && !request.isRestarted)
      await context.note(`read-only fields are not sent: ${[...check.omittedFields].join(', ')}`);
    if (check.diagnosticCount > 0)
      throw await createInputError(context, request, input, check, format);
    const grouped = await groupIfMixed(input, rules, check, context.signal, folder?.grouped);
    const { [fields.listName]: _records, ...shared } = data;
    return { input, rules, check, data: shared, grouped };
  } catch (error) {
    await input.discard();
    throw error;
  } finally {
    reading.end();
  }
}

/** Checks the records. If they lack required IDs of their target, asks for them. */
async function checkInput(
  context: Context,
  input: RecordInput,
  fields: BulkFields,
  { data: given, options, hasDefaultOrganization, pickIds, asksAboutOrganizations }: BulkRequest,
  { job, effect }: { readonly job: string; readonly effect: OperationEntry['effect'] },
  visitRecord: RecordListener | undefined,
) {
  const isFile = options.file !== undefined;
  const check = async (data: BulkRequest['data'], defaults: readonly string[]) => {
    const rules: TargetRules = {
      ...createRules(fields, data, options, job, defaults, asksAboutOrganizations),
      valueWarnings: valueWarningsOf(effect),
      ...(isFile && { countsValueWarnings: true as const }),
      // A tool's input has no flag that accepts them.
      ...(context.inputNaming === 'fields' && { allowsSuspicious: true }),
      naming: context.inputNaming,
    };
    const endProgress = await showCheckProgress(context, input);
    return {
      data,
      rules,
      check: await checkRecords(input, rules, context.signal, visitRecord).finally(endProgress),
    };
  };
  const checked = await check(given, hasDefaultOrganization ? ['organizationId'] : []);
  const { targets } = checked.rules;
  const isMissing = fields.targetFields.some(({ name, required }) => {
    return required && given[name] === undefined && !targets.isNamed(name);
  });
  const isSendable = fields.field === undefined || checked.check.diagnosticCount === 0;
  if (pickIds && isMissing && isSendable && checked.check.read > 0) {
    const data = { ...given, ...(await pickIds()) };
    return fields.field === undefined ? check(data, []) : { ...checked, data };
  }
  if (hasDefaultOrganization) await noteUnusedOrganization(context, input, given, targets);
  if (!hasDefaultOrganization || fields.field === undefined || !targets.isNamed('organizationId'))
    return checked;
  const { organizationId: _, ...data } = given;
  return { ...checked, data };
}

/** Says that the records go to other organizations than the one in the settings. */
async function noteUnusedOrganization(
  context: Context,
  { name }: RecordInput,
  { organizationId: unused }: BulkRequest['data'],
  targets: RecordTargets,
): Promise<void> {
  const isOther = ({ data }: RecordTarget) => (data['organizationId'] ?? unused) !== unused;
  if (!targets.all.some(isOther)) return;
  const { org } = await context.target();
  await context.note(
    `using the organizations in ${name} instead of ${String(unused)} (${org?.source})`,
  );
}

/**
 * Creates the rules for checking the records of a job.
 * @param defaults fields of `data` that records may override
 */
export function createRules(
  fields: BulkFields,
  data: BulkRequest['data'],
  { duplicates, shard, map, mapOrg, allowSuspicious }: BulkRequest['options'],
  job: string,
  defaults: readonly string[] = [],
  asksAboutOrganizations = false,
) {
  return {
    fields,
    shared: data,
    duplicates,
    generateId: createIdGenerator(job),
    targets: new RecordTargets(fields, data, defaults, asksAboutOrganizations),
    ...optionalProperty('shard', shard),
    ...optionalProperty('map', map),
    ...optionalProperty('organizationMap', mapOrg && new Map(mapOrg)),
    ...optionalProperty('allowsSuspicious', allowSuspicious),
  };
}

/** In an update, an empty cell leaves its field unchanged. */
export function valueWarningsOf(effect: OperationEntry['effect']): 'add' | 'update' {
  return effect === 'set' ? 'update' : 'add';
}

/**
 * Copies the command's signal for the first reading. Later readings must work after the signal is
 * aborted.
 */
export function copySignal(signal: AbortSignal) {
  const controller = new AbortController();
  const listener = addAbortListener(signal, () => controller.abort(signal.reason));
  return { signal: controller.signal, end: () => listener[Symbol.dispose]() };
}

function isFromFlags({ options, usesDataFlag }: BulkRequest): boolean {
  return options.file === undefined && !usesDataFlag;
}

type FindingFormatter = (finding: FileDiagnostic) => string;

/** Creates the function that formats findings: those of a single record from flags by the flag. */
function createFindingFormatter(
  { inputNaming }: Context,
  { flags }: OperationEntry,
  request: BulkRequest,
  { read }: RecordCheck,
): FindingFormatter {
  if (inputNaming === 'fields' || !isFromFlags(request) || read !== 1) return formatDiagnostic;
  return ({ file, field = '', message }) => {
    const flag = findRecordFlag(flags, field);
    return prefixWithName(flag ? `--${flag.name}` : file, message);
  };
}

function findRecordFlag(flags: OperationEntry['flags'], field: string | undefined) {
  return flags.find(({ ofRecord, path }) => ofRecord && path.join('.') === field);
}

async function createInputError(
  context: Context,
  request: BulkRequest,
  { name, files }: RecordInput,
  check: RecordCheck,
  format: FindingFormatter,
): Promise<SvcError> {
  const found = {
    findings: check.diagnostics.toSorted(compareFindings(files)).map(format),
    findingCount: check.diagnosticCount,
  };
  const part = check.read === 0 ? undefined : formatNounCount(check.read, 'record');
  const failure = isFromFlags(request) ? 'usage' : 'invalid_input';
  return createFindingsError(context, found, {
    failure,
    name,
    hint: inputHint(check),
    ...optionalProperty('part', part),
  });
}

function inputHint({ hint, isIncomplete, diagnosticCount }: RecordCheck): string {
  // A hint about a truncated file applies only if there are no other problems.
  const applies = hint !== undefined && (!isIncomplete || diagnosticCount === 1);
  if (applies && isIncomplete) return hint;
  return `nothing was sent; ${applies ? hint : 'fix the input and try again'}`;
}

/**
 * Checks that the records come from one source, and that the data beside them has valid IDs.
 * @throws SvcError `usage`, or `invalid_input` for an invalid or suspicious ID in `--data`
 */
export function checkRecordSource(
  context: Pick<Context, 'inputNaming' | 'words'>,
  entry: OperationEntry,
  fields: BulkFields,
  { data, record, options, copies, usesDataFlag }: BulkRequest,
): void {
  const { field, noun, id } = fields;
  const beside = Object.entries(data).filter(([name]) => name !== field);
  const failure = usesDataFlag ? 'invalid_input' : 'usage';
  checkTargetIds(context, entry, fields.input, Object.fromEntries(beside), failure);
  const ids = beside.filter(([name]) => isIdField(name));
  const [suspicious] = new SuspiciousValues(ids.map(([name]) => name)).inspectTarget(
    Object.fromEntries(ids),
  );
  // A tool's input has no flag that accepts them.
  if (suspicious?.field && context.inputNaming === 'flags' && !options.allowSuspicious)
    throw new SvcError(
      failure,
      prefixWithName(nameValue(context, entry, [suspicious.field], failure), suspicious.message),
      { hint: SUSPICIOUS_ID_HINT },
    );
  const idFlagName = `--${idFlag(entry, fields)?.name ?? id}`;
  if (field === undefined) {
    if (data[id] === undefined) return;
    throw new SvcError(
      'usage',
      `${idFlagName} cannot be combined with a file: each ${noun} has its own ID`,
      {
        hint: `set ${id} in each record`,
      },
    );
  }
  const count = [copies ?? options.file, data[field], record].filter(
    (form) => form !== undefined,
  ).length;
  if (count === 1) return;
  const problem =
    count === 0
      ? `no ${pluralize(noun)} specified`
      : `${pluralize(noun)} specified in more than one way`;
  throw new SvcError('usage', problem, {
    hint: hint`use --file <path>, or ${idFlagName} for a single ${noun}; see ${step('help', ...entry.command, '--help')}`,
  });
}

function idFlag({ flags }: OperationEntry, { field, id, bareIds }: BulkFields): Flag | undefined {
  const [ofRecord, name] = [field !== undefined && !bareIds, bareIds ? field : id];
  return flags.find(
    (flag) => flag.ofRecord === ofRecord && flag.path.length === 1 && flag.path[0] === name,
  );
}

async function openRecords(
  context: Context,
  entry: OperationEntry,
  fields: BulkFields,
  { data, record, usesDataFlag, options, copies }: BulkRequest,
  spool: string,
): Promise<RecordInput> {
  if (copies ?? options.file)
    return openInputFiles(context, { ...fields, given: Object.keys(data) }, options, spool, copies);
  const mapFlag = options.map ? '--map' : options.mapOrg && '--map-org';
  if (mapFlag && !usesDataFlag)
    throw new SvcError('usage', `${mapFlag} needs an input file`, { hint: 'add --file <path>' });
  if (record) {
    checkRecordFlags(entry, fields, record);
    return createMemoryInput('--data', [record]);
  }
  const listed: unknown = data[fields.listName];
  const flag = usesDataFlag ? undefined : idFlag(entry, fields);
  const name = context.inputNaming === 'fields' ? fields.listName : `--${flag?.name ?? 'data'}`;
  return createMemoryInput(name, Array.isArray(listed) ? listed : [listed], options.map);
}

function checkRecordFlags(
  { flags, command }: OperationEntry,
  { schema }: BulkFields,
  record: unknown,
): void {
  const [problem] = findRecordProblems(schema, record);
  if (!problem) return;
  const flag = findRecordFlag(flags, problem.field);
  const name = flag ? `--${flag.name}` : (problem.field ?? '');
  const isMissing = flag !== undefined && valueAt(record, flag.path) === undefined;
  const message = isMissing ? `${name} is required` : prefixWithName(name, problem.message);
  throw new SvcError('usage', message, {
    hint: hint`see ${step('help', ...command, '--help')}`,
  });
}
