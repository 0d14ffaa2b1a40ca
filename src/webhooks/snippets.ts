import { readProjectFile } from '../kernel/bundled-programs.ts';

/** Languages with an example of a receiver that verifies deliveries, and their files in `examples/snippets/`. */
const SNIPPET_FILES = {
  node: 'verify.mjs',
  python: 'verify.py',
  go: 'verify.go',
  ruby: 'verify.rb',
  php: 'verify.php',
} as const;

export type SnippetLanguage = keyof typeof SNIPPET_FILES;
export const SNIPPET_LANGUAGES = Object.keys(SNIPPET_FILES) as [SnippetLanguage, ...SnippetLanguage[]];

export function readSnippet(language: SnippetLanguage): Promise<string> {
  return readProjectFile(`examples/snippets/${SNIPPET_FILES[language]}`);
}
