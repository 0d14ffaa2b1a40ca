import { readProjectFile } from '../kernel/bundled-programs.ts';

/**
 * Languages with code that verifies deliveries, the suffixes of their files, and the frameworks with
 * a complete receiver. The code of a language without a `receiver` contains its receiver.
 */
const LANGUAGES = {
  node: {
    suffix: 'mjs',
    receiver: 'node',
    frameworks: ['express', 'fastify', 'hono', 'nextjs'],
  },
  python: { suffix: 'py', receiver: 'python', frameworks: ['flask'] },
  go: { suffix: 'go', receiver: undefined, frameworks: [] },
  ruby: { suffix: 'rb', receiver: undefined, frameworks: [] },
  php: { suffix: 'php', receiver: undefined, frameworks: [] },
} as const satisfies Readonly<Record<string, SnippetSource>>;

interface SnippetSource {
  readonly suffix: string;
  readonly receiver: string | undefined;
  readonly frameworks: readonly string[];
}

export type SnippetLanguage = keyof typeof LANGUAGES;
export type SnippetFramework = (typeof LANGUAGES)[SnippetLanguage]['frameworks'][number];
export const SNIPPET_LANGUAGES = Object.keys(LANGUAGES) as [SnippetLanguage, ...SnippetLanguage[]];
export const SNIPPET_FRAMEWORKS: readonly SnippetFramework[] = SNIPPET_LANGUAGES.flatMap(
  (language) => LANGUAGES[language].frameworks,
);

export function languageOf(framework: SnippetFramework): SnippetLanguage {
  const isWritten = (language: SnippetLanguage) =>
    (LANGUAGES[language].frameworks as readonly string[]).includes(framework);
  return SNIPPET_LANGUAGES.find(isWritten) ?? 'node';
}

/** Reads the code that verifies deliveries, followed by a receiver that uses it. */
export async function readSnippet(
  language: SnippetLanguage,
  framework?: SnippetFramework,
): Promise<string> {
  const { suffix, receiver }: SnippetSource = LANGUAGES[language];
  const verification = await readVerification(language);
  const name = framework ?? receiver;
  if (name === undefined) return verification;
  return `${verification}\n${await readProjectFile(`examples/snippets/receive-${name}.${suffix}`)}`;
}

/** Reads the code that verifies deliveries, which starts no server. */
export function readVerification(language: SnippetLanguage): Promise<string> {
  return readProjectFile(`examples/snippets/verify.${LANGUAGES[language].suffix}`);
}
