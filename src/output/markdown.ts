import type { Column } from '../catalog/define.ts';
import { isObject } from '../kernel/json.ts';
import { escapeForTerminal } from '../kernel/safe-text.ts';
import { chooseColumns, formatCell } from './columns.ts';
import { fieldAt } from './field-selection.ts';
import type { Renderer, View } from './renderer.ts';

/** Renders a list as a table of GitHub Flavored Markdown, and one value as a table of its fields. */
export function createMarkdownRenderer(view: View): Renderer {
  const head = (names: readonly string[]) =>
    formatMarkdownTable(view.headers ? names : names.map(() => ''), []);
  const body = (rows: readonly (readonly string[])[]) => rows.map(formatRow).join('');
  const display = { ...view.display, isInteractive: false, useMarks: false };
  const formatValue = (value: unknown, kind?: Column['kind']) =>
    escapeMarkup(formatCell(value, display, kind));
  const cells = (record: unknown, columns: readonly Column[]) =>
    columns.map(({ field, kind }) => formatValue(fieldAt(record, field), kind));

  return {
    async *records(pages) {
      const isKnown = view.fields !== undefined || view.columns !== undefined;
      const source = isKnown ? pages : [(await Array.fromAsync(pages)).flat()];
      let columns: readonly Column[] | undefined;
      for await (const page of source) {
        const shown = columns ?? chooseColumns(view, page, true);
        if (shown.length === 0) return;
        if (!columns) yield head(shown.map(({ header }) => escapeMarkdown(header)));
        columns = shown;
        yield body(page.map((record) => cells(record, shown)));
      }
    },
    value: (value) => {
      if (!isObject(value)) return value === undefined ? '' : `${formatValue(value)}\n`;
      const fields =
        view.fields?.map((path) => [path, fieldAt(value, path)] as const) ?? Object.entries(value);
      const rows = fields.map(([name, inner]) => [escapeMarkdown(name), formatValue(inner)]);
      return rows.length === 0 ? '' : head(['FIELD', 'VALUE']) + body(rows);
    },
  };
}

/** @param cells texts in Markdown */
export function formatMarkdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return [head, head.map(() => '---'), ...rows].map(formatRow).join('');
}

function formatRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

/** Escapes text so that no character of it is markup or invisible. */
export function escapeMarkdown(text: string): string {
  return escapeMarkup(escapeForTerminal(text));
}

/**
 * Matches characters that can be markup in GitHub Flavored Markdown: at the start of a line, in
 * addresses that become links, and anywhere.
 */
const MARKUP = /^[-+=]|(?<=^\d+|\bwww)[.)]|:(?=\S)|[#$&*<>@[\\\]_`|~]/gi;

/** Matches escaped characters that GitHub still turns into a mention of a user or an issue. */
const MENTION = /(?<![a-z0-9])\\@(?=\w)|\\#(?=\d)/gi;
const ZERO_WIDTH_SPACE = '&#8203;';

function escapeMarkup(text: string): string {
  return text.replace(MARKUP, '\\$&').replace(MENTION, `$&${ZERO_WIDTH_SPACE}`);
}

/**
 * Formats text as a code block, which no line of it can end.
 * @param language name of the highlighting, such as `diff`
 */
export function formatCodeBlock(text: string, language = ''): string {
  if (text === '') return '';
  const runs = Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length);
  const fence = '`'.repeat(Math.max(2, ...runs) + 1);
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}\n`;
}
