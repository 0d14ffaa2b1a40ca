import { escapeJsonForTerminal } from '../kernel/safe-text.ts';
import type { Renderer, View } from './renderer.ts';

export function createJsonRenderer({ isTerminal }: View): Renderer {
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
    value: (value) => formatJsonDocument(value, isTerminal),
  };
}

export function formatJsonDocument(value: unknown, isTerminal: boolean): string {
  return `${jsonText(value, isTerminal, 2)}\n`;
}

export function createNdjsonRenderer({ isTerminal }: View): Renderer {
  const line = (value: unknown) => `${jsonText(value, isTerminal)}\n`;
  return {
    async *records(pages) {
      for await (const page of pages) if (page.length > 0) yield page.map(line).join('');
    },
    value: line,
  };
}

function jsonText(value: unknown, isTerminal: boolean, indent?: number): string {
  const json = JSON.stringify(value ?? null, null, indent);
  return isTerminal ? escapeJsonForTerminal(json) : json;
}
