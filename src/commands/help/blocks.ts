/** A help page: sections with an empty line between them. */
export type HelpPage = readonly HelpSection[];

export interface HelpSection {
  readonly title?: string;
  readonly blocks: readonly HelpBlock[];
  /** Omits the section in a narrower terminal. */
  readonly minColumns?: number;
}

export type HelpBlock = ProseBlock | TextBlock | RowsBlock | CommandBlock;

/** Text in a format of its own, whose line breaks are kept. */
export interface TextBlock {
  readonly kind: 'text';
  readonly text: string;
}

/** A paragraph, which starts on a line of its own. */
export interface ProseBlock {
  readonly kind: 'prose';
  readonly text: string;
}

/** Terms and their explanations, side by side. */
export interface RowsBlock {
  readonly kind: 'rows';
  readonly rows: readonly HelpRow[];
  /** Blocks of a page with the same alignment have equally wide columns. */
  readonly alignment: string;
}

export interface HelpRow {
  readonly term: string;
  readonly text: string;
  /** Notes after the text, such as `(default: 100)`. They are less prominent. */
  readonly notes?: readonly string[];
  /** Whether the term is a command, which can be wrapped for a shell. */
  readonly isCommand?: boolean;
}

/** A command to paste, with an optional comment in the line before it. */
export interface CommandBlock {
  readonly kind: 'command';
  readonly command: string;
  readonly comment?: string;
}

export function createProse(...texts: readonly string[]): HelpSection {
  return { blocks: texts.map((text): HelpBlock => ({ kind: 'prose', text })) };
}

/**
 * Creates sections of rows. Omits sections without rows.
 * @param alignment sections of a page with the same alignment have equally wide columns
 */
export function createRowSections(
  alignment: string,
  sections: readonly (readonly [title: string | undefined, rows: readonly HelpRow[]])[],
): readonly HelpSection[] {
  return sections
    .filter(([, rows]) => rows.length > 0)
    .map(([title, rows]) => {
      const blocks: readonly HelpBlock[] = [{ kind: 'rows', rows, alignment }];
      return title === undefined ? { blocks } : { title, blocks };
    });
}

/** Creates rows from pairs of a term and its explanation. */
export function toRows(pairs: readonly (readonly [string, string])[]): readonly HelpRow[] {
  return pairs.map(([term, text]) => ({ term, ...splitDefault(text) }));
}

const DEFAULT_START = ' (default: ';

/** Separates the default value at the end of a description, which is a note. */
export function splitDefault(description: string): Required<Pick<HelpRow, 'text' | 'notes'>> {
  const at = description.endsWith(')') ? description.lastIndexOf(DEFAULT_START) : -1;
  if (at < 0) return { text: description, notes: [] };
  return { text: description.slice(0, at), notes: [description.slice(at + 1)] };
}

/** Creates a section of commands, with their comments if they have any. */
export function createCommandSection(
  title: string | undefined,
  commands: readonly (readonly [command: string, comment?: string])[],
): HelpSection {
  const blocks = commands.map(
    ([command, comment]): HelpBlock =>
      comment ? { kind: 'command', command, comment } : { kind: 'command', command },
  );
  return title === undefined ? { blocks } : { title, blocks };
}
