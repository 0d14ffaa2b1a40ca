import { Writable } from 'node:stream';
import type { Sink } from '../../src/kernel/io.ts';
import { type DisplayOptions, PIPE_DISPLAY } from '../../src/output/display-options.ts';
import type { Format } from '../../src/output/format.ts';
import {
  createPrinter,
  type OutputOptions,
  type Printer,
  type ResultShape,
} from '../../src/output/printer.ts';

export interface PrintOptions extends Omit<Partial<OutputOptions>, 'display'> {
  readonly display?: Partial<DisplayOptions>;
  /** Width of the terminal (default: the sink is not a terminal). */
  readonly terminal?: number;
  readonly onWrite?: () => void;
}

/** Captures the writes of a printer. */
export async function writes(
  format: Format,
  printOptions: PrintOptions,
  print: (printer: Printer) => Promise<void>,
) {
  const { terminal, display, onWrite, ...options } = printOptions;
  const isInteractive = terminal !== undefined;
  const written: string[] = [];
  const sink: Sink = {
    isTerminal: terminal !== undefined,
    columns: terminal,
    stream: new Writable(),
    write: async (text) => {
      written.push(String(text));
      onWrite?.();
    },
  };
  const defaults = { format, headers: true, quiet: false, showSecrets: false, color: false };
  const shown = { ...PIPE_DISPLAY, isInteractive, useMarks: isInteractive, ...display };
  await print(createPrinter(sink, { ...defaults, ...options, display: shown }));
  return written;
}

export async function printedRecords(
  format: Format,
  records: readonly unknown[],
  shape: ResultShape = {},
  printOptions: PrintOptions = {},
) {
  return (
    await writes(format, printOptions, (printer) => printer.records(pagesOf(records), shape))
  ).join('');
}

export async function printedValue(
  format: Format,
  value: unknown,
  shape: ResultShape = {},
  printOptions: PrintOptions = {},
) {
  return (await writes(format, printOptions, (printer) => printer.value(value, shape))).join('');
}

export async function* pagesOf(...pages: (readonly unknown[])[]) {
  for (const page of pages) yield page;
}
