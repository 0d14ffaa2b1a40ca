const BOLD = '\u001b[1m';
const DIM = '\u001b[2m';
const NORMAL = '\u001b[22m';

/** A heading such as `Flags:`, possibly wrapped, before an indented line. */
const HEADING = /(?<=^|\n\n)\S[^\n]*(?:\n\S[^\n]*)*:(?=\n {2,}\S)/g;

/** A default value in a description, possibly wrapped. */
const DEFAULT = /\(default:\s[^()]*\)/g;

/** Adds bold headings and dim default values to wrapped help. Without colors, help fits light and dark themes. */
export function styleHelp(text: string): string {
  const styled = (part: string, style: string) => part.replace(/\S.*$/gm, (line) => style + line + NORMAL);
  return text.replace(HEADING, (part) => styled(part, BOLD)).replace(DEFAULT, (part) => styled(part, DIM));
}
