import { Writable } from 'node:stream';
import { formatFromName } from '../../bulk/source/detect-format.ts';
import type { InputFormat } from '../../catalog/bulk-options.ts';
import type { State } from '../../catalog/state.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { Sink } from '../../kernel/io.ts';
import { resolveOutputPath } from '../../kernel/named-file.ts';
import { writeOutputFile } from '../../kernel/output-file.ts';
import type { Format } from '../../output/format.ts';
import { createJsonRenderer } from '../../output/json.ts';
import { createPrinter, type Printer } from '../../output/printer.ts';
import { exportState } from '../../service/state/transfer.ts';
import { withStore } from '../connection/embedded-store.ts';
import { ensureSecretsAllowed } from '../connection/protections.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { withSpinner } from '../terminal/spinner.ts';

export async function localExport(
  context: Context,
  { arguments: [file = '-'] }: Invocation,
): Promise<void> {
  await ensureSecretsAllowed(context);
  const { options, cwd, signal } = context;
  if (file === '-') {
    checkFormat(options.output ?? (await formatSetting(context)));
    const isPrintable = canHoldState(await context.format());
    const printer = isPrintable ? await context.printer() : undefined;
    const state = await readExport(context);
    return print(
      printer ?? createPlainPrinter('json', (text) => context.io.stdout.write(text)),
      state,
    );
  }
  if (options.jq !== undefined || options.fields) {
    throw new SvcError('usage', '--jq and --fields cannot be combined with an output file', {
      hint: 'to print part of the data, omit the file',
    });
  }
  const format = checkFormat(
    options.output ?? formatFromName(file) ?? (await formatSetting(context)),
  );
  const texts: string[] = [];
  const collect = async (text: string | Uint8Array) => void texts.push(String(text));
  await print(createPlainPrinter(format, collect), await readExport(context));
  await writeOutputFile(resolveOutputPath(file, cwd), texts, { signal });
  await context.note(`Wrote ${file}; it contains unmasked secrets`);
}

function readExport(context: Context): Promise<State> {
  return withSpinner(context, 'export: reading the store', () =>
    withStore(context, 'read', exportState),
  );
}

/** Prints a state. The table format prints JSON, which can be imported. */
function print(printer: Printer, state: State): Promise<void> {
  return printer.value(state, {
    renderText: (view) => createJsonRenderer(view).value(state),
    isData: true,
  });
}

/** Creates a printer for a state as it is, with its secrets. */
function createPlainPrinter(format: Format, write: Sink['write']): Printer {
  const sink = { isTerminal: false, columns: undefined, stream: new Writable(), write };
  const plain = { headers: true, quiet: false, showSecrets: true, color: false };
  return createPrinter(sink, { ...plain, format });
}

function checkFormat(format: Format | InputFormat): Format {
  if (format !== 'xlsx' && canHoldState(format)) return format;
  throw new SvcError('usage', `local export does not support ${format}`, {
    hint: 'use -o json or -o yaml',
  });
}

async function formatSetting(context: Context): Promise<Format> {
  const format = await context.format();
  return canHoldState(format) ? format : 'json';
}

/** Whether a format can express everything in a state, so that it can be imported. */
function canHoldState(format: Format): boolean {
  return format !== 'csv' && format !== 'markdown';
}
