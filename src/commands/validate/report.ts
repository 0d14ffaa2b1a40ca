import { describeDiagnostic, type FileDiagnostic, formatDiagnostic } from '../../bulk/diagnostic.ts';
import type { StartedCheck } from '../../bulk/record-check.ts';
import type { RecordCheck } from '../../bulk/record-checker.ts';
import type { Column } from '../../catalog/define.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { formatMessage } from '../../output/message-text.ts';
import type { Context } from '../context.ts';
import { formatAnnotation } from '../terminal/annotation.ts';

export interface ReportSubject {
  readonly name: string;
  readonly files: readonly string[];
  readonly noun: string;
  readonly form: 'text' | 'github';
}

const FILE_COLUMN: Column = { header: 'FILE', field: 'file' };
const COLUMNS: readonly Column[] = [
  { header: 'LINE', field: 'line' },
  { header: 'COLUMN', field: 'column' },
  { header: 'FIELD', field: 'field' },
  { header: 'MESSAGE', field: 'message' },
];

export async function reportFindings(context: Context, subject: ReportSubject, started: StartedCheck): Promise<void> {
  if (subject.form === 'github') return writeAnnotations(context, started);
  switch (await context.format()) {
    case 'table':
      return writeLines(context, subject, started);
    case 'csv':
    case 'ndjson':
      return printRecords(context, subject, started);
    case 'json':
    case 'yaml':
      return printDocument(context, subject, started);
  }
}

async function writeLines(context: Context, { name, noun }: ReportSubject, { check, findings }: StartedCheck): Promise<void> {
  const { stdout } = context.io;
  for await (const found of findings) {
    const lines = await Promise.all(found.map((finding) => formatMessage(formatDiagnostic(finding), stdout)));
    await stdout.write(lines.join(''));
  }
  await printWarnings(context, check);
  const { diagnosticCount, warningCount, read } = check;
  if (diagnosticCount > 0) return;
  const found = warningCount === 0 ? 'no problems found' : `no errors, ${formatNounCount(warningCount, 'warning')}`;
  await stdout.write(await formatMessage(`${name}: ${formatNounCount(read, noun)}, ${found}`, stdout));
}

async function writeAnnotations({ io: { stdout } }: Context, { check, findings }: StartedCheck): Promise<void> {
  const write = (kind: 'error' | 'warning', found: readonly FileDiagnostic[]) =>
    stdout.write(found.map((finding) => annotation(kind, finding)).join(''));
  for await (const found of findings) await write('error', found);
  await write('warning', check.warnings);
}

function annotation(kind: 'error' | 'warning', diagnostic: FileDiagnostic): string {
  const { file, line, column } = diagnostic;
  return formatAnnotation(
    kind,
    { file: file === 'stdin' ? undefined : file, line, col: column },
    describeDiagnostic(diagnostic),
  );
}

async function printRecords(context: Context, { files }: ReportSubject, { check, findings }: StartedCheck): Promise<void> {
  const convert = createConverter(files);
  const columns = files.length === 1 ? COLUMNS : [FILE_COLUMN, ...COLUMNS];
  async function* pages() {
    for await (const found of findings) yield found.map(convert);
  }
  await (await context.printer()).records(pages(), { columns });
  await printWarnings(context, check);
}

async function printDocument(context: Context, { files }: ReportSubject, { check, findings }: StartedCheck): Promise<void> {
  const convert = createConverter(files);
  const checked = files.length === 1 ? { file: files[0] } : { files };
  const all: unknown[] = [];
  for await (const found of findings) all.push(...found.map(convert));
  const { read: records, diagnosticCount, warnings, warningCount } = check;
  const found = { valid: diagnosticCount === 0, findings: all, warnings: warnings.map(convert), warningCount };
  await (await context.printer()).value({ ...checked, records, ...found }, {});
}

/** Creates a converter of findings. The result contains the file name only if there are several files. */
function createConverter(files: readonly string[]): (finding: FileDiagnostic) => unknown {
  return ({ file, line, column, record, field, message }) => ({
    ...(files.length > 1 && { file }),
    line,
    ...(column !== undefined && { column }),
    ...(record !== undefined && { record }),
    ...(field !== undefined && { field }),
    message,
  });
}

async function printWarnings(context: Context, { warnings }: RecordCheck): Promise<void> {
  for (const warning of warnings) await context.warn(formatDiagnostic(warning));
}
