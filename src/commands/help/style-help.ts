const BOLD = '\u001b[1m';
const DIM = '\u001b[2m';
const NORMAL = '\u001b[22m';

/** Matches a heading such as `Flags:`, which may be wrapped. An indented line follows it. */
const HEADING = /(?<=^|\n\n)\S[^\n]*(?:\n\S[^\n]*)*:(?=\n {2,}\S)/g;

/** Matches a default in a description, which may be wrapped. */
const DEFAULT = /\(default:\s[^()]*\)/g;

/** Adds styles to wrapped help: bold headings and dim defaults. Uses no colors, so it suits light and dark themes. */
export function styleHelp(text: string): string {
  const styled = (part: string, style: string) => part.replace(/\S.*$/gm, (line) => style + line + NORMAL);
  return text.replace(HEADING, (part) => styled(part, BOLD)).replace(DEFAULT, (part) => styled(part, DIM));
}
