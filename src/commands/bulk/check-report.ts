import {
  describeDiagnostic,
  type FileDiagnostic,
  formatDiagnostic,
  inFileOrder,
} from '../../bulk/diagnostic.ts';
import type { StartedCheck } from '../../bulk/record-check.ts';
import type { RecordCheck } from '../../bulk/record-checker.ts';
import type { RecordInput } from '../../bulk/record-input.ts';
import type { Column } from '../../catalog/define.ts';
import { SvcError } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import type { Format } from '../../output/format.ts';
import { formatMessage } from '../../output/message-text.ts';
import type { Context } from '../context.ts';
import { formatOrganizations } from '../format-organizations.ts';
import { optionalProperty } from '../options.ts';
import { annotateLog, formatAnnotation } from '../terminal/annotation.ts';

/** The requests and records that a command would send. */
export interface SendingPlan {
  readonly requests: number;
  /** The first organizations, if the operation has one. */
  readonly organizations?: readonly PlannedOrganization[];
}

export interface PlannedOrganization {
  readonly id: string;
  readonly total: number;
  /** Whether the organization does not exist, or was not seen before on this machine. */
  readonly new: boolean;
}

export type CheckFormat = Format | 'github';

interface CheckReport {
  readonly noun: string;
  readonly format: CheckFormat;
  /** Called at most once, after a check without problems, by the formats that show the plan. */
  readonly planSending?: () => Promise<SendingPlan>;
}

/**
 * Prints the findings of a check: JSON and YAML at the end, other formats while it runs. Without
 * problems, tables, JSON, and YAML also show what would be sent. In GitHub Actions, also prints
 * annotations on stderr.
 * @throws SvcError `invalid_input` if there are problems
 */
export async function reportCheck(
  context: Context,
  input: RecordInput,
  started: StartedCheck,
  report: CheckReport,
): Promise<void> {
  const { check } = started;
  const isAnnotated =
    context.environment['GITHUB_ACTIONS'] === 'true' && report.format !== 'github';
  const ordered = inFileOrder(started.findings, input.files);
  const findings = isAnnotated ? annotate(context, ordered) : ordered;
  await REPORTS[report.format](context, input, { check, findings }, report);
  if (isAnnotated) await annotateLog(context.io.stderr, annotationsOf('warning', check.warnings));
  const { diagnosticCount, read, hint } = check;
  if (diagnosticCount === 0) return;
  const problems = formatNounCount(diagnosticCount, 'problem');
  // The first problem may hide all records.
  const place = read === 0 ? '' : ` in ${formatNounCount(read, 'record')}`;
  throw new SvcError('invalid_input', `${input.name}: ${problems}${place}`, {
    hint: hint ?? 'fix the problems, then check the files again',
  });
}

type Report = (
  context: Context,
  input: RecordInput,
  started: StartedCheck,
  report: CheckReport,
) => Promise<void>;

const writeLines: Report = async (
  context,
  { name },
  { check, findings },
  { noun, planSending },
) => {
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
  if (!planSending) return;
  const { requests, organizations = [] } = await planSending();
  const places = organizations.length > 0 ? `: ${formatOrganizations(organizations)}` : '';
  await stdout.write(
    await formatMessage(
      `dry run: ${formatNounCount(check.records, noun)} in ${formatNounCount(requests, 'request')}${places}`,
      stdout,
    ),
  );
};

const writeAnnotations: Report = async ({ io: { stdout } }, _input, { check, findings }) => {
  for await (const found of findings) await annotateLog(stdout, annotationsOf('error', found));
  await annotateLog(stdout, annotationsOf('warning', check.warnings));
};

/** Prints an annotation for each finding that passes. */
async function* annotate(
  { io }: Context,
  findings: AsyncIterable<readonly FileDiagnostic[]>,
): AsyncGenerator<readonly FileDiagnostic[]> {
  for await (const found of findings) {
    await annotateLog(io.stderr, annotationsOf('error', found));
    yield found;
  }
}

function annotationsOf(kind: 'error' | 'warning', found: readonly FileDiagnostic[]): string {
  const lines = found.map((finding) => {
    const { file, line, column: col } = finding;
    return formatAnnotation(
      kind,
      { file: file === 'stdin' ? undefined : file, line, col },
      describeDiagnostic(finding),
    );
  });
  return lines.join('');
}

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

const printDocument: Report = async (context, { files }, { check, findings }, { planSending }) => {
  const names = files.map(({ name }) => name);
  const all: unknown[] = [];
  for await (const found of findings)
    all.push(...found.map((finding) => toRecord(finding, files.length)));
  const { read: records, diagnosticCount, warningCount } = check;
  const warnings = check.warnings.map((warning) => toRecord(warning, files.length));
  const found = { valid: diagnosticCount === 0, findings: all, warnings, warningCount };
  const checked = files.length === 1 ? { file: names[0] } : { files: names };
  const plan = diagnosticCount === 0 ? await planSending?.() : undefined;
  await (await context.printer()).value({ ...checked, records, ...found, ...plan }, {});
};

const REPORTS = {
  github: writeAnnotations,
  table: writeLines,
  csv: printRecords,
  ndjson: printRecords,
  markdown: printRecords,
  json: printDocument,
  yaml: printDocument,
} as const satisfies Record<CheckFormat, Report>;

/** Whether a format shows what would be sent. */
export function showsPlan(format: CheckFormat): boolean {
  return REPORTS[format] === writeLines || REPORTS[format] === printDocument;
}

/** The result contains the file name only if there are several files. */
function toRecord(
  { file, line, column, cell, record, field, message }: FileDiagnostic,
  fileCount: number,
): unknown {
  return {
    ...(fileCount > 1 && { file }),
    line,
    ...optionalProperty('column', cell === undefined ? column : undefined),
    ...optionalProperty('cell', cell),
    ...optionalProperty('record', record),
    ...optionalProperty('field', field),
    message,
  };
}

async function printWarnings(context: Context, { warnings }: RecordCheck): Promise<void> {
  for (const warning of warnings) await context.warn(formatDiagnostic(warning));
}
