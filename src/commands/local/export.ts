import { resolve } from 'node:path';
import { Writable } from 'node:stream';
import { formatOfName } from '../../bulk/source/sniff.ts';
import type { State } from '../../catalog/state.ts';
import { SvcError } from '../../kernel/errors.ts';
import { replaceFile } from '../../kernel/files.ts';
import type { Format } from '../../output/format.ts';
import { jsonRenderer } from '../../output/json.ts';
import { createPrinter, type Printer } from '../../output/printer.ts';
import { exportState } from '../../service/state/export.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { withStore } from '../embedded/store.ts';

/** Writes all that the embedded service holds, secrets included, to stdout or to a file that only its owner can read. */
export async function localExport(context: Context, { arguments: [file = '-'] }: Invocation): Promise<void> {
  if (file === '-') {
    checkFormat(await context.format());
    const printer = await context.printer();
    return print(printer, await withStore(context, 'read', exportState));
  }
  const { options, cwd } = context;
  if (options.jq !== undefined || options.fields) {
    throw new SvcError('usage', 'a file takes the whole state: without it, --jq and --fields print a part of it');
  }
  const format = checkFormat(options.output ?? formatOfName(file) ?? (await context.format()));
  const text = await textOf(format, await withStore(context, 'read', exportState));
  await replaceFile(resolve(cwd, file), text);
  await context.note(`wrote ${file}, with its secrets unmasked`);
}

/** A table is for people, who get JSON here: the state in the form that can be imported. */
function print(printer: Printer, state: State): Promise<void> {
  return printer.value(state, { drawing: (view) => jsonRenderer(view).value(state) });
}

async function textOf(format: Format, state: State): Promise<string> {
  const texts: string[] = [];
  const write = async (text: string | Uint8Array) => void texts.push(String(text));
  const memory = { isTerminal: false, columns: undefined, stream: new Writable(), write };
  const plain = { headers: true, quiet: false, showSecrets: true, color: false };
  await print(createPrinter(memory, { ...plain, format }), state);
  return texts.join('');
}

function checkFormat(format: Format): Format {
  if (format !== 'csv') return format;
  throw new SvcError('usage', 'CSV cannot hold a whole state', { hint: 'give -o json or -o yaml' });
}
