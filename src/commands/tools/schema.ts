import type { Column } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { createOperationSchemas } from '../../catalog/json-schema.ts';
import { manifest, type OperationEntry } from '../../catalog/manifest.ts';
import { createOpenApiDocument } from '../../catalog/openapi.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { resolveOutputPath } from '../../kernel/named-file.ts';
import { didYouMean, findNearest } from '../../kernel/nearest.ts';
import { writeOutputFile } from '../../kernel/output-file.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { DEFAULT_ADDRESS } from '../service-flags.ts';
import { printDocument } from '../terminal/print-document.ts';

export async function schemaCommand(
  context: Context,
  { arguments: words, options: { out } }: Invocation<SchemaFlags>,
): Promise<void> {
  const typed = words.join(' ').trim();
  if (typed === SETTINGS) {
    const { createSettingsSchema } = await import('../../catalog/settings-schema.ts');
    return writeDocument(context, createSettingsSchema(), out);
  }
  if (words.length === 0 && out === undefined) return listOperations(context);
  const { name, resource, command, path } = requireOperation(typed);
  const schemas = createOperationSchemas(await loadOperation(resource, name));
  const document = { operation: name, command: command.join(' '), path, ...schemas };
  await writeDocument(context, document, out);
}

interface SchemaFlags {
  readonly out?: string | undefined;
}

async function writeDocument(
  context: Context,
  document: object,
  out: string | undefined,
): Promise<void> {
  if (out === undefined) return printDocument(context, document);
  const text = `${JSON.stringify(document, null, 2)}\n`;
  const { cwd, signal } = context;
  await writeOutputFile(resolveOutputPath(out, cwd), text, { mode: 0o644, signal });
  await context.note(`Wrote ${out}`);
}

const SETTINGS = 'settings';

const COLUMNS: readonly Column[] = [
  { header: 'OPERATION', field: 'operation', kind: 'whole' },
  { header: 'COMMAND', field: 'command' },
  { header: 'PATH', field: 'path' },
];

async function listOperations(context: Context): Promise<void> {
  const printer = await context.printer();
  const operations = manifest.map(({ name: operation, command, path, summary }) => {
    return { operation, command: command.join(' '), path, summary };
  });
  await printer.value(operations, { columns: COLUMNS });
}

/**
 * Finds an operation by its name, command, or path.
 * @throws SvcError `usage` with the nearest name
 */
function requireOperation(typed: string): OperationEntry {
  const bare = typed.replace(/^svc /, '');
  const entry = manifest.find(
    ({ name, command, path }) => name === bare || command.join(' ') === bare || path === bare,
  );
  if (entry) return entry;
  const isPath = bare.startsWith('/');
  const known = [...manifest.map(({ path, name }): string => (isPath ? path : name)), SETTINGS];
  const name = isPath ? bare : bare.replaceAll(' ', '.');
  throw new SvcError('usage', `unknown operation '${typed}'`, {
    hint: findNearest(name, known)
      ? didYouMean(name, known)
      : hint`to list all operations, run ${step('inspect', 'schema')}`,
  });
}

export async function openApiCommand(context: Context): Promise<void> {
  const [operations, { baseUrl, headerPrefix }] = await Promise.all([
    Promise.all(
      manifest.map(async ({ resource, name }) => ({
        name,
        operation: await loadOperation(resource, name),
      })),
    ),
    context.target(),
  ]);
  const { host, port } = DEFAULT_ADDRESS;
  const embedded = {
    url: `http://${host}:${port}`,
    description: 'The embedded service on its default port',
  };
  const server = baseUrl ? { url: baseUrl.value, description: 'The configured service' } : embedded;
  const document = createOpenApiDocument(operations, { headerPrefix: headerPrefix.value, server });
  await printDocument(context, document);
}
