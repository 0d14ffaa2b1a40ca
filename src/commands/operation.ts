import type { Operation } from '../catalog/define.ts';
import { loadOperation } from '../catalog/index.ts';
import type { OperationEntry } from '../catalog/manifest.ts';
import type { Answer, Client } from '../client/client.ts';
import { nextCursor, pages } from '../client/pages.ts';
import type { Shape } from '../output/printer.ts';
import { bulkOptions } from './bulk-flags.ts';
import type { Context } from './context.ts';
import type { Invocation } from './definition.ts';
import { applyFlags } from './flag-values.ts';
import { textValue } from './option-values.ts';
import { checkInput } from './validation.ts';

type Data = Readonly<Record<string, unknown>>;

/** Runs a command that stands for an operation: flags to data, data to checked input, input to calls, replies to stdout. */
export async function runOperation(
  context: Context,
  versions: readonly [OperationEntry, ...OperationEntry[]],
  invocation: Invocation,
): Promise<void> {
  const wanted = textValue(invocation.options, 'apiVersion');
  const entry = versions.find(({ version }) => version === wanted) ?? versions[0];
  const base = await dataOption(context, textValue(invocation.options, 'data'));
  const { data, record } = applyFlags(entry.flags, invocation.options, base ?? {});
  await defaultOrganization(context, entry, data);
  if (entry.bulk) {
    const { runBulkOperation } = await import('./bulk-operation.ts');
    return runBulkOperation(context, entry, { data, record, options: bulkOptions(invocation) });
  }
  const operation = await loadOperation(entry.resource, entry.name);
  const inputs = splitByIds(operation, data);
  for (const input of inputs) checkInput(entry, operation, input, base === undefined ? 'usage' : 'bad_data');
  await confirmWrite(context, operation, data);
  await show(context, entry, operation, { inputs, all: invocation.options['all'] === true });
}

async function dataOption(context: Context, argument: string | undefined): Promise<Data | undefined> {
  if (argument === undefined) return undefined;
  const { readData } = await import('./data-argument.ts');
  return readData(context, argument);
}

async function defaultOrganization(context: Context, entry: OperationEntry, data: Record<string, unknown>) {
  const takesOne = entry.flags.some((flag) => !flag.ofRecord && flag.path[0] === 'organizationId');
  if (!takesOne || data['organizationId'] !== undefined) return;
  const { org } = await context.settings();
  if (org) data['organizationId'] = org.value;
}

async function confirmWrite(context: Context, operation: Operation, data: Data): Promise<void> {
  if (!operation.confirm || context.options.dryRun) return;
  await context.confirm(operation.confirm.replace(/\{(\w+)\}/g, (_, field: string) => String(data[field])));
}

/** A list of ids longer than the service takes becomes several requests. */
function splitByIds(operation: Operation, data: Data): readonly Data[] {
  const { splitIds } = operation;
  const ids = splitIds && data[splitIds.field];
  if (!splitIds || !Array.isArray(ids) || ids.length <= splitIds.most) return [data];
  const unique = [...new Set(ids)];
  const parts = Math.ceil(unique.length / splitIds.most);
  return Array.from({ length: parts }, (_, part) => ({
    ...data,
    [splitIds.field]: unique.slice(part * splitIds.most, (part + 1) * splitIds.most),
  }));
}

interface Request {
  readonly inputs: readonly Data[];
  readonly all: boolean;
}

async function show(context: Context, entry: OperationEntry, operation: Operation, request: Request): Promise<void> {
  const [client, printer] = await Promise.all([context.client(), context.printer()]);
  const answers = answersOf(context, client, operation, request);
  const { envelope } = context.options;
  const shape: Shape = {
    ...(operation.columns && !envelope && { columns: operation.columns }),
    secrets: envelope ? entry.secrets.map((path) => ['data', ...path]) : entry.secrets,
  };
  if (operation.columns && !envelope) return printer.records(recordsOf(context, operation, request, answers), shape);
  for await (const answer of answers) {
    if (context.options.quiet && operation.bare) return context.io.stdout.write(`${operation.bare(answer.data)}\n`);
    await printer.value(envelope ? answer.result : answer.data, shape);
  }
}

/** Every answer of the request: one, or with `--all` and several parts as many as it takes. A dry run has none. */
async function* answersOf(context: Context, client: Client, operation: Operation, { inputs, all }: Request) {
  for (const input of inputs) {
    for await (const answer of pages(client, operation, input)) {
      yield answer;
      const cursor = nextCursor(operation, answer.result);
      if (all || cursor === undefined) continue;
      await context.note(`there is more: add --all, or go on with --${cursorFlag(operation)} ${String(cursor)}`);
      break;
    }
  }
}

function cursorFlag(operation: Operation): string {
  return (operation.pages?.cursorIn ?? '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

async function* recordsOf(
  context: Context,
  operation: Operation,
  { inputs }: Request,
  answers: AsyncIterable<Answer<unknown>>,
): AsyncGenerator<readonly unknown[]> {
  const missing = new Set(inputs.flatMap((input) => askedIds(operation, input)));
  for await (const answer of answers) {
    const records = Array.isArray(answer.data) ? answer.data : [];
    for (const record of records) missing.delete(record?.[operation.splitIds?.recordId ?? '']);
    yield records;
  }
  if (missing.size > 0 && !context.options.dryRun) await context.warn(`not found: ${[...missing].join(', ')}`);
}

function askedIds({ splitIds }: Operation, input: Data): readonly unknown[] {
  const ids = splitIds && input[splitIds.field];
  return Array.isArray(ids) ? ids : [];
}
