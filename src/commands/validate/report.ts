import { describeDiagnostic, type FileDiagnostic, formatDiagnostic } from '../../bulk/diagnostic.ts';
import type { RecordCheck } from '../../bulk/record-checker.ts';
import type { Column } from '../../catalog/define.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { formatMessage } from '../../output/message-text.ts';
import type { Context } from '../context.ts';
import { escapeWorkflowText } from '../terminal/workflow-command.ts';

export interface ReportSubject {
  /** File names, joined for messages. `stdin` for standard input. */
  readonly name: string;
  readonly files: readonly string[];
  readonly noun: string;
  readonly form: 'text' | 'github';
}

type Findings = AsyncGenerator<readonly FileDiagnostic[], RecordCheck>;

const FILE_COLUMN: Column = { header: 'FILE', field: 'file' };
const COLUMNS: readonly Column[] = [
  { header: 'LINE', field: 'line' },
  { header: 'COLUMN', field: 'column' },
  { header: 'FIELD', field: 'field' },
  { header: 'MESSAGE', field: 'message' },
];

export async function reportFindings(
  context: Context,
  subject: ReportSubject,
  findings: Findings,
): Promise<RecordCheck> {
  const format = await context.format();
  if (subject.form === 'github') return writeAnnotations(context, findings);
  switch (format) {
    case 'table':
      return writeLines(context, subject, findings);
    case 'csv':
    case 'ndjson':
      return printRecords(context, subject, findings);
    case 'json':
    case 'yaml':
      return printDocument(context, subject, findings);
  }
}

async function writeLines(context: Context, { name, noun }: ReportSubject, findings: Findings): Promise<RecordCheck> {
  const { stdout } = context.io;
  const check = await consumeFindings(findings, async (found) => {
    const lines = await Promise.all(found.map((finding) => formatMessage(formatDiagnostic(finding), stdout)));
    await stdout.write(lines.join(''));
  });
  await printWarnings(context, check);
  if (check.diagnosticCount === 0) {
    const found =
      check.warningCount === 0 ? 'no problems found' : `no errors, ${formatNounCount(check.warningCount, 'warning')}`;
    await stdout.write(await formatMessage(`${name}: ${formatNounCount(check.read, noun)}, ${found}`, stdout));
  }
  return check;
}

async function writeAnnotations(context: Context, findings: Findings): Promise<RecordCheck> {
  const { stdout } = context.io;
  const write = (kind: 'error' | 'warning', found: readonly FileDiagnostic[]) =>
    stdout.write(found.map((finding) => annotation(kind, finding)).join(''));
  const check = await consumeFindings(findings, (found) => write('error', found));
  await write('warning', check.warnings);
  return check;
}

/** Formats a workflow command of GitHub Actions, such as `::error file=users.json,line=7,col=3::email: is empty`. */
function annotation(kind: 'error' | 'warning', diagnostic: FileDiagnostic): string {
  const { file, line, column } = diagnostic;
  const properties = Object.entries({ file: file === 'stdin' ? null : file, line, col: column ?? null })
    .filter(([, value]) => value !== null)
    .map(
      ([key, value]) =>
        `${key}=${escapeWorkflowText(escapeForTerminal(String(value)))
          .replaceAll(':', '%3A')
          .replaceAll(',', '%2C')}`,
    );
  const text = escapeForTerminal(describeDiagnostic(diagnostic));
  return `::${[kind, properties.join(',')].filter(Boolean).join(' ')}::${escapeWorkflowText(text)}\n`;
}

async function printRecords(context: Context, { files }: ReportSubject, findings: Findings): Promise<RecordCheck> {
  const convert = createConverter(files);
  const columns = files.length === 1 ? COLUMNS : [FILE_COLUMN, ...COLUMNS];
  let check: RecordCheck | undefined;
  async function* pages() {
    for (;;) {
      const { value, done } = await findings.next();
      if (done) {
        check = value;
        return;
      }
      yield value.map(convert);
    }
  }
  await (await context.printer()).records(pages(), { columns });
  if (!check) throw new TypeError('the findings were not read to their end');
  await printWarnings(context, check);
  return check;
}

async function printDocument(context: Context, { files }: ReportSubject, findings: Findings): Promise<RecordCheck> {
  const convert = createConverter(files);
  const checked = files.length === 1 ? { file: files[0] } : { files };
  const all: unknown[] = [];
  const check = await consumeFindings(findings, async (found) => void all.push(...found.map(convert)));
  const printer = await context.printer();
  const { read: records, diagnosticCount, warnings, warningCount } = check;
  const found = { valid: diagnosticCount === 0, findings: all, warnings: warnings.map(convert), warningCount };
  await printer.value({ ...checked, records, ...found }, {});
  return check;
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

async function consumeFindings(
  findings: Findings,
  take: (found: readonly FileDiagnostic[]) => Promise<void>,
): Promise<RecordCheck> {
  for (;;) {
    const { value, done } = await findings.next();
    if (done) return value;
    await take(value);
  }
}
