export const SNIPPET_LANGUAGES = ['node', 'python', 'go', 'ruby', 'php'] as const;
export type SnippetLanguage = (typeof SNIPPET_LANGUAGES)[number];
