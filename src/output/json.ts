import { escapeJsonForTerminal } from '../kernel/safe-text.ts';
import { hasLongList, isLongList, type Renderer, splitPage, type View } from './renderer.ts';

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
    value: (value) =>
      hasLongList(value)
        ? formatLongDocument(value, isTerminal)
        : formatJsonDocument(value, isTerminal),
  };
}

/** Formats an object like `formatJsonDocument`, but its long lists in parts. */
function* formatLongDocument(
  fields: Readonly<Record<string, unknown>>,
  isTerminal: boolean,
): Generator<string> {
  const indented = (value: unknown, indent: string) =>
    jsonText(value, isTerminal, 2).replaceAll('\n', `\n${indent}`);
  let before = '{\n';
  for (const [name, value] of Object.entries(fields).filter(([, given]) => given !== undefined)) {
    yield `${before}  ${jsonText(name, isTerminal)}: `;
    before = ',\n';
    if (!isLongList(value)) {
      yield indented(value, '  ');
      continue;
    }
    let beforeItem = '[\n    ';
    for (const part of splitPage(value)) {
      yield beforeItem + part.map((item) => indented(item, '    ')).join(',\n    ');
      beforeItem = ',\n    ';
    }
    yield '\n  ]';
  }
  yield '\n}\n';
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
