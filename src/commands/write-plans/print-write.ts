import { bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { loadOperation } from '../../catalog/index.ts';
import { getEntry } from '../../catalog/manifest.ts';
import { formatNounCount, groupDigits } from '../../kernel/plural.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { UNICODE_GLYPHS } from '../../output/glyphs.ts';
import { formatCodeBlock } from '../../output/markdown.ts';
import type { PlannedRecords, SavedWrite } from '../../settings/plan/saved-write.ts';
import { type NamedTarget, renderTarget } from '../connection/find-target.ts';
import type { Context } from '../context.ts';
import { formatOrganizations } from '../format-organizations.ts';
import { appendStepSummary } from '../outputs/append-step-summary.ts';
import { type NextCommands, renderNext } from '../render-next.ts';

interface WriteSurroundings {
  readonly target: NamedTarget;
  readonly next?: NextCommands;
  /** Whether to show every record. */
  readonly isComplete?: boolean;
  /** Whether the plan is also for the summary of a step in GitHub Actions. */
  readonly isReported?: boolean;
  /** Whether the input files were copied, as the plan says. */
  readonly hasCopies?: boolean;
}

/** Records that a plan shows to a reader who does not answer for it. */
const MAX_SHOWN = 20;

/** Prints the plan of a write as text, or as data in the documented format. */
export async function printWrite(
  context: Context,
  { write }: SavedWrite,
  {
    target,
    next = {},
    isComplete = false,
    isReported = false,
    hasCopies = true,
  }: WriteSurroundings,
): Promise<void> {
  context.activity.isTargetNamed = true;
  const limit = isComplete ? Number.POSITIVE_INFINITY : MAX_SHOWN;
  const title = `Plan: ${await countRequests(write)}`;
  const rendered = await renderWrite(write, { limit, hasCopies });
  const lines = [...rendered, '', title].map(escapeForTerminal);
  const renderMarkdown = async () =>
    `### Plan\n\n${formatCodeBlock([renderTarget(target, UNICODE_GLYPHS, ''), '', ...lines, renderNext(next)].join('\n').trimEnd(), 'text')}`;
  if (isReported) await appendStepSummary(context, renderMarkdown);
  await (await context.printer()).value(
    { target, write, ...(Object.keys(next).length > 0 && { next }) },
    {
      renderText: ({ display }) =>
        `${renderTarget(target, display.glyphs, '')}\n\n${lines.join('\n')}\n${renderNext(next)}`,
      renderMarkdown,
    },
  );
}

/** Counts what a write sends: `1,480 users to send in 15 requests`. */
export async function countRequests(write: SavedWrite['write']): Promise<string> {
  if ('inputs' in write) return `${formatNounCount(write.inputs.length, 'request')} to send`;
  const { operation, total, requests } = write;
  return `${formatNounCount(total, await nounOf(operation))} to send in ${formatNounCount(requests, 'request')}`;
}

async function nounOf(operation: PlannedRecords['operation']): Promise<string> {
  const { resource, name } = getEntry(operation);
  return bulkFieldsOf(await loadOperation(resource, name)).noun;
}

async function renderWrite(
  write: SavedWrite['write'],
  { limit, hasCopies }: { readonly limit: number; readonly hasCopies: boolean },
): Promise<readonly string[]> {
  const command = getEntry(write.operation).command.join(' ');
  if ('inputs' in write)
    return write.inputs.flatMap((input) => [`> ${command}`, ...renderFields(input)]);
  const { data, records = [], files, total, organizations = [] } = write;
  const from = files.map(({ name }) => name).join(', ');
  const title = `> ${command}: ${formatNounCount(total, await nounOf(write.operation))}`;
  const shown = records.slice(0, limit).map((record) => `    ${JSON.stringify(record)}`);
  const more = records.length - shown.length;
  return [
    from === '' ? title : `${title} from ${from}`,
    ...renderFields(organizations.length > 0 ? withoutOrganization(data) : data),
    ...(organizations.length > 0
      ? [`    organizations: ${formatOrganizations(organizations)}`]
      : []),
    ...renderFields(shownOptions(write)),
    ...files.map(
      ({ name, bytes, sha256, copy }) =>
        `    ${name}: ${groupDigits(bytes)} bytes, SHA-256 ${sha256}${hasCopies ? `, copied to ${copy}` : ''}`,
    ),
    ...shown,
    ...(more > 0 ? [`    and ${formatNounCount(more, 'more record')}`] : []),
  ];
}

function withoutOrganization({ organizationId: _, ...others }: PlannedRecords['data']) {
  return others;
}

function renderFields(fields: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(fields).map(
    ([name, value]) => `    ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
}

/** Returns the options that affect the requests, without those that have their default values. */
function shownOptions({ options }: PlannedRecords): Readonly<Record<string, unknown>> {
  const { file: _file, concurrency: _concurrency, ...others } = options;
  const shown = Object.entries(others).filter(
    ([name, value]) =>
      !(name === 'onError' && value === 'continue') && !(name === 'duplicates' && value === 'fail'),
  );
  return Object.fromEntries(shown);
}
