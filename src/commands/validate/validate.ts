import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  describeDiagnostic,
  type FileDiagnostic,
  formatDiagnostic,
} from '../../bulk/diagnostic.ts';
import { type StartedCheck, startCheck } from '../../bulk/record-check.ts';
import type { RecordCheck } from '../../bulk/record-checker.ts';
import type { RecordInput } from '../../bulk/record-input.ts';
import { RecordTargets } from '../../bulk/record-targets.ts';
import { type BulkFields, bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import type { Column } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { manifest } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import type { Format } from '../../output/format.ts';
import { formatMessage } from '../../output/message-text.ts';
import { openInputFiles } from '../bulk/gather-input.ts';
import { parseColumnMap } from '../bulk/input-flags.ts';
import { showCheckProgress } from '../bulk/show-progress.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { optionalProperty } from '../options.ts';
import { formatAnnotation } from '../terminal/annotation.ts';
import type { ValidateFlags } from './flags.ts';

/**
 * Checks files and prints all findings.
 * @throws SvcError `invalid_input` if there are findings, `usage` without a file
 */
export async function validateFiles(
  context: Context,
  { noun, verb: defaultVerb }: { readonly noun: string; readonly verb: string },
  { options }: Invocation<ValidateFlags>,
): Promise<void> {
  const {
    file: paths = [],
    for: verb = defaultVerb,
    inputFormat,
    duplicates = 'fail',
    format: form = 'text',
  } = options;
  if (paths.length === 0)
    throw new SvcError('usage', '--file is required', {
      hint: `svc ${noun} validate --file <path>`,
    });
  const map = parseColumnMap(options.map);
  const fields = await loadFields(noun, verb, options.apiVersion);
  const files = paths.map((file) => ({ file, ...optionalProperty('format', inputFormat) }));
  const source = { files, ...optionalProperty('map', map) };
  const input = await openInputFiles(context, fields, source, createSpoolPath());
  try {
    const targetNames = fields.targetFields.map(({ name }) => name);
    const hasTarget = fields.field !== undefined;
    const rules = {
      fields,
      // If each record is a separate call, flags can set its target.
      shared: hasTarget
        ? {}
        : Object.fromEntries(targetNames.map((name) => [name, 'given by a flag'])),
      targets: new RecordTargets(fields, { organizationId: options.org }),
      duplicates,
      generateId: String,
      valueWarnings: verb === 'update' ? ('update' as const) : ('add' as const),
    };
    const stopProgress = await showCheckProgress(context, input);
    const started = startCheck(input, rules, context.signal);
    const format = form === 'github' ? form : await context.format();
    await REPORTS[format](context, input, started, fields.noun).finally(stopProgress);
    const { diagnosticCount, read, hint } = started.check;
    if (diagnosticCount === 0) return;
    const message = `${input.name}: ${formatNounCount(diagnosticCount, 'problem')} in ${formatNounCount(read, fields.noun)}`;
    throw new SvcError('invalid_input', message, {
      hint: hint ?? 'fix the problems, then check the files again',
    });
  } finally {
    await input.discard();
  }
}

/** Returns the path of a file that is created only if the input is a pipe. */
function createSpoolPath(): string {
  return join(tmpdir(), `svc-validate-${randomUUID()}`);
}

async function loadFields(
  noun: string,
  verb: string,
  version: string | undefined,
): Promise<BulkFields> {
  const versions = manifest.filter(
    ({ command, bulk }) => bulk && command[0] === noun && command.at(-1) === verb,
  );
  // A newer version has all fields of the earlier ones.
  const entry =
    version === undefined ? versions.at(-1) : versions.find((known) => known.version === version);
  if (!entry) throw new SvcError('usage', `svc ${noun} ${verb} has no --api-version ${version}`);
  return bulkFieldsOf(await loadOperation(entry.resource, entry.name));
}

type Report = (
  context: Context,
  input: RecordInput,
  started: StartedCheck,
  noun: string,
) => Promise<void>;

const writeLines: Report = async (context, { name }, { check, findings }, noun) => {
  const { stdout } = context.io;
  for await (const found of findings) {
    const lines = await Promise.all(
      found.map((finding) => formatMessage(formatDiagnostic(finding), stdout)),
    );
    await stdout.write(lines.join(''));
  }
  await printWarnings(context, check);
  const { diagnosticCount, warningCount, read } = check;
  if (diagnosticCount > 0) return;
  const found =
    warningCount === 0
      ? 'no problems found'
      : `no errors, ${formatNounCount(warningCount, 'warning')}`;
  await stdout.write(
    await formatMessage(`${name}: ${formatNounCount(read, noun)}, ${found}`, stdout),
  );
};

const writeAnnotations: Report = async ({ io: { stdout } }, _input, { check, findings }) => {
  const write = (kind: 'error' | 'warning', found: readonly FileDiagnostic[]) => {
    const lines = found.map((finding) => {
      const { file, line, column: col } = finding;
      return formatAnnotation(
        kind,
        { file: file === 'stdin' ? undefined : file, line, col },
        describeDiagnostic(finding),
      );
    });
    return stdout.write(lines.join(''));
  };
  for await (const found of findings) await write('error', found);
  await write('warning', check.warnings);
};

const FINDING_COLUMNS: readonly Column[] = [
  { header: 'FILE', field: 'file' },
  { header: 'LINE', field: 'line' },
  { header: 'COLUMN', field: 'column' },
  { header: 'FIELD', field: 'field' },
  { header: 'MESSAGE', field: 'message' },
];

const printRecords: Report = async (context, { files }, { check, findings }) => {
  async function* pages() {
    for await (const found of findings)
      yield found.map((finding) => toRecord(finding, files.length));
  }
  await (await context.printer()).records(pages(), {
    columns: FINDING_COLUMNS.slice(files.length > 1 ? 0 : 1),
  });
  await printWarnings(context, check);
};

const printDocument: Report = async (context, { files }, { check, findings }) => {
  const names = files.map(({ name }) => name);
  const all: unknown[] = [];
  for await (const found of findings)
    all.push(...found.map((finding) => toRecord(finding, files.length)));
  const { read: records, diagnosticCount, warningCount } = check;
  const warnings = check.warnings.map((warning) => toRecord(warning, files.length));
  const found = { valid: diagnosticCount === 0, findings: all, warnings, warningCount };
  const checked = files.length === 1 ? { file: names[0] } : { files: names };
  await (await context.printer()).value({ ...checked, records, ...found }, {});
};

const REPORTS = {
  github: writeAnnotations,
  table: writeLines,
  csv: printRecords,
  ndjson: printRecords,
  json: printDocument,
  yaml: printDocument,
} as const satisfies Record<Format | 'github', Report>;

/** The result contains the file name only if there are several files. */
function toRecord(
  { file, line, column, record, field, message }: FileDiagnostic,
  fileCount: number,
): unknown {
  return {
    ...(fileCount > 1 && { file }),
    line,
    ...optionalProperty('column', column),
    ...optionalProperty('record', record),
    ...optionalProperty('field', field),
    message,
  };
}

async function printWarnings(context: Context, { warnings }: RecordCheck): Promise<void> {
  for (const warning of warnings) await context.warn(formatDiagnostic(warning));
}
