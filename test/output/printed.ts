import { Writable } from 'node:stream';
import type { Sink } from '../../src/kernel/io.ts';
import type { Format } from '../../src/output/format.ts';
import { type Look as Appearance, PLAIN_LOOK } from '../../src/output/look.ts';
import { createPrinter, type OutputOptions, type Printer, type Shape } from '../../src/output/printer.ts';

export interface Look extends Omit<Partial<OutputOptions>, 'look'> {
  readonly look?: Partial<Appearance>;
  /** Given, the sink is a terminal of this width. */
  readonly terminal?: number;
}

/** What a printer writes, one element a write. */
export async function writes(format: Format, look: Look, print: (printer: Printer) => Promise<void>) {
  const { terminal, look: appearance, ...options } = look;
  const forPeople = terminal !== undefined;
  const written: string[] = [];
  const sink: Sink = {
    isTerminal: terminal !== undefined,
    columns: terminal,
    stream: new Writable(),
    write: async (text) => {
      written.push(String(text));
    },
  };
  const defaults = { format, headers: true, quiet: false, showSecrets: false, color: false };
  const shown = { ...PLAIN_LOOK, forPeople, marks: forPeople, ...appearance };
  await print(createPrinter(sink, { ...defaults, ...options, look: shown }));
  return written;
}

export async function printedRecords(format: Format, records: readonly unknown[], shape: Shape = {}, look: Look = {}) {
  return (await writes(format, look, (printer) => printer.records(pagesOf(records), shape))).join('');
}

export async function printedValue(format: Format, value: unknown, shape: Shape = {}, look: Look = {}) {
  return (await writes(format, look, (printer) => printer.value(value, shape))).join('');
}

export async function* pagesOf(...pages: (readonly unknown[])[]) {
  for (const page of pages) yield page;
}
