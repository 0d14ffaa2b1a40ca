import { GO_SNIPPET } from './go.ts';
import type { SnippetLanguage } from './languages.ts';
import { NODE_SNIPPET } from './node.ts';
import { PHP_SNIPPET } from './php.ts';
import { PYTHON_SNIPPET } from './python.ts';
import { RUBY_SNIPPET } from './ruby.ts';

/** Code that verifies deliveries in a receiver, without a library: one function, and how to call it in a web framework. */
export const SNIPPETS: Readonly<Record<SnippetLanguage, string>> = {
  node: NODE_SNIPPET,
  python: PYTHON_SNIPPET,
  go: GO_SNIPPET,
  ruby: RUBY_SNIPPET,
  php: PHP_SNIPPET,
};
