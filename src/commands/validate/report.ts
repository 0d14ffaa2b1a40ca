import { type Finding, findingText } from '../../bulk/finding.ts';
import type { Survey } from '../../bulk/survey.ts';
import type { Column } from '../../catalog/define.ts';
import { amount } from '../../kernel/plural.ts';
import { safeText } from '../../kernel/safe-text.ts';
import type { Context } from '../context.ts';
import { workflowText } from '../terminal/workflow-command.ts';

/** What is checked, as a report names it. */
export interface Subject {
  /** The path as it was given, `stdin`, or several of these. */
  readonly name: string;
  /** The same, one by one. */
  readonly files: readonly string[];
  /** One record: `user`. */
  readonly noun: string;
  readonly form: 'text' | 'github';
}

/** Findings as they are found, then the whole result. */
type Findings = AsyncGenerator<readonly Finding[], Survey>;

const FILE_COLUMN: Column = { header: 'FILE', field: 'file' };
const COLUMNS: readonly Column[] = [
  { header: 'LINE', field: 'line' },
  { header: 'COLUMN', field: 'column' },
  { header: 'FIELD', field: 'field' },
  { header: 'MESSAGE', field: 'message' },
];

/** Prints findings in the format that is asked for, and hands on what the survey came to. */
export async function report(context: Context, subject: Subject, findings: Findings): Promise<Survey> {
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

async function writeLines(context: Context, { name, noun }: Subject, findings: Findings): Promise<Survey> {
  const { stdout } = context.io;
  const survey = await drain(findings, (found) =>
    stdout.write(found.map((finding) => `${safeText(findingText(finding))}\n`).join('')),
  );
  await warn(context, survey);
  if (survey.findingCount === 0) {
    await stdout.write(`${safeText(name)}: ${amount(survey.read, noun)}, nothing is wrong with them\n`);
  }
  return survey;
}

async function writeAnnotations(context: Context, findings: Findings): Promise<Survey> {
  const { stdout } = context.io;
  const write = (kind: 'error' | 'warning', found: readonly Finding[]) =>
    stdout.write(found.map((finding) => annotation(kind, finding)).join(''));
  const survey = await drain(findings, (found) => write('error', found));
  await write('warning', survey.warnings);
  return survey;
}

/** A workflow command of GitHub Actions: `::error file=users.json,line=7,col=3::email: is empty`. */
function annotation(kind: 'error' | 'warning', { file, line, column, field, message }: Finding): string {
  const properties = Object.entries({ file: file === 'stdin' ? null : file, line, col: column ?? null })
    .filter(([, value]) => value !== null)
    .map(
      ([key, value]) =>
        `${key}=${workflowText(safeText(String(value)))
          .replaceAll(':', '%3A')
          .replaceAll(',', '%2C')}`,
    );
  const text = safeText(field === undefined ? message : `${field}: ${message}`);
  return `::${[kind, properties.join(',')].filter(Boolean).join(' ')}::${workflowText(text)}\n`;
}

async function printRecords(context: Context, { files }: Subject, findings: Findings): Promise<Survey> {
  const show = shownOf(files);
  const columns = files.length === 1 ? COLUMNS : [FILE_COLUMN, ...COLUMNS];
  let survey: Survey | undefined;
  async function* pages() {
    survey = yield* mapped(findings, show);
  }
  await (await context.printer()).records(pages(), { columns });
  if (!survey) throw new TypeError('the findings were not read to their end');
  await warn(context, survey);
  return survey;
}

async function* mapped(findings: Findings, show: Show): AsyncGenerator<readonly unknown[], Survey> {
  for (;;) {
    const { value, done } = await findings.next();
    if (done) return value;
    yield value.map(show);
  }
}

async function printDocument(context: Context, { files }: Subject, findings: Findings): Promise<Survey> {
  const show = shownOf(files);
  const checked = files.length === 1 ? { file: files[0] } : { files };
  const all: unknown[] = [];
  const survey = await drain(findings, async (found) => void all.push(...found.map(show)));
  const printer = await context.printer();
  const { read: records, findingCount, warnings } = survey;
  const valid = findingCount === 0;
  await printer.value({ ...checked, records, valid, findings: all, warnings: warnings.map(show) }, {});
  return survey;
}

/** A finding as programs read it. */
type Show = (finding: Finding) => unknown;

/** The file is told where there are several. */
function shownOf(files: readonly string[]): Show {
  return ({ file, line, column, field, message }) => ({
    ...(files.length > 1 && { file }),
    line,
    ...(column !== undefined && { column }),
    ...(field !== undefined && { field }),
    message,
  });
}

async function warn(context: Context, { warnings }: Survey): Promise<void> {
  for (const warning of warnings) await context.warn(findingText(warning));
}

async function drain(findings: Findings, take: (found: readonly Finding[]) => Promise<void>): Promise<Survey> {
  for (;;) {
    const { value, done } = await findings.next();
    if (done) return value;
    await take(value);
  }
}
