import { readProjectFile } from '../kernel/bundled-programs.ts';

/**
 * Languages with an example of a receiver that verifies deliveries, and the suffixes of their
 * files.
 */
const SUFFIXES = { node: 'mjs', python: 'py', go: 'go', ruby: 'rb', php: 'php' } as const;
export type SnippetLanguage = keyof typeof SUFFIXES;
export const SNIPPET_LANGUAGES = Object.keys(SUFFIXES) as [SnippetLanguage, ...SnippetLanguage[]];

export function readSnippet(language: SnippetLanguage): Promise<string> {
  return readProjectFile(`examples/snippets/verify.${SUFFIXES[language]}`);
}
