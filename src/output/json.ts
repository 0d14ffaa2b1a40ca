import { safeJson } from '../kernel/safe-text.ts';
import type { Renderer, View } from './renderer.ts';

/** One document, indented by two spaces; records are the elements of an array that is written page by page. */
export function jsonRenderer({ isTerminal }: View): Renderer {
  const document = (value: unknown) => jsonText(value, isTerminal, 2);
  const element = (record: unknown) => `  ${document(record).replaceAll('\n', '\n  ')}`;
  return {
    async *records(pages) {
      let before = '[\n';
      for await (const page of pages) {
        if (page.length === 0) continue;
        yield before + page.map(element).join(',\n');
        before = ',\n';
      }
      yield before === '[\n' ? '[]\n' : '\n]\n';
    },
    value: (value) => jsonDocument(value, isTerminal),
  };
}

/** A value alone, indented by two spaces. */
export function jsonDocument(value: unknown, isTerminal: boolean): string {
  return `${jsonText(value, isTerminal, 2)}\n`;
}

/** One record a line. */
export function ndjsonRenderer({ isTerminal }: View): Renderer {
  const line = (value: unknown) => `${jsonText(value, isTerminal)}\n`;
  return {
    async *records(pages) {
      for await (const page of pages) if (page.length > 0) yield page.map(line).join('');
    },
    value: line,
  };
}

/** A program reads the text as the service sent it; on a terminal, what could act on the terminal is escaped. */
function jsonText(value: unknown, isTerminal: boolean, indent?: number): string {
  const json = JSON.stringify(value ?? null, null, indent);
  return isTerminal ? safeJson(json) : json;
}
