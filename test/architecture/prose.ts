import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AMERICAN, PHRASES } from './phrases.ts';

/** A place in the project's text that breaks a language rule. */
export interface ProseFault {
  readonly file: string;
  readonly line: number;
  readonly rule: 'phrase' | 'pronoun' | 'shared-name';
  readonly text: string;
}

const PAGES = ['*.md', 'docs/*.md', '.changeset/*.md', 'examples/**/*.md'];
const SOURCES = ['src/**/*.{ts,tsx}', 'bin/*.js', 'docs/generate/*.ts', '*.config.ts'];

/** Delimiter of a quoted block in a page: program output or code. */
const FENCE = /^\s*```/;

/**
 * Finds all faults in the project in `folder`: phrases in pages and sources, doc comments, and type
 * names.
 */
export function proseFaults(folder: string): readonly ProseFault[] {
  const read = (patterns: readonly string[]) =>
    globSync([...patterns], { cwd: folder })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => !file.includes('node_modules/'))
      .sort()
      .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));
  const sources = read(SOURCES);
  return [
    ...read(PAGES).flatMap(({ file, text }) => phraseFaults(file, linesOfPage(text))),
    ...sources.flatMap(({ file, text }) => phraseFaults(file, linesOfSource(text))),
    ...sources.flatMap(({ file, text }) => pronounFaults(file, text)),
    ...sharedNames(sources.filter(({ file }) => file.startsWith('src/'))),
  ];
}

interface Line {
  readonly line: number;
  readonly text: string;
}

function linesOfPage(text: string): readonly Line[] {
  let isCode = false;
  return text.split('\n').flatMap((content, at) => {
    if (FENCE.test(content)) isCode = !isCode;
    return isCode ? [] : { line: at + 1, text: content.replaceAll(/`[^`]*`/g, '``') };
  });
}

/** Returns the lines of comments and of string literals with several words. */
function linesOfSource(text: string): readonly Line[] {
  return text.split('\n').flatMap((content, at) => {
    const comment = /^\s*(?:\/\*\*?|\*|\/\/)(.*)$/.exec(content) ?? /\s\/\/ (.*)$/.exec(content);
    const strings = Array.from(
      content.matchAll(/(['"`])((?:(?!\1)[^\\]|\\.)* (?:(?!\1)[^\\]|\\.)*)\1/g),
      ([, , words]) => words,
    );
    const prose = [comment?.[1] ?? '', ...(comment ? [] : strings)]
      .join(' ')
      .replaceAll(/`[^`]*`/g, '``');
    return prose.trim() === '' ? [] : { line: at + 1, text: prose };
  });
}

function phraseFaults(file: string, lines: readonly Line[]): readonly ProseFault[] {
  return lines.flatMap(({ line, text }) =>
    PHRASES.flatMap(({ pattern, instead }): ProseFault[] => {
      const found = Array.from(text.matchAll(new RegExp(pattern, 'gm')), ([words]) => words);
      const faults = found.filter((words) => !AMERICAN.test(words));
      return faults.map((words) => ({
        file,
        line,
        rule: 'phrase',
        text: `'${words}': ${instead}`,
      }));
    }),
  );
}

const PRONOUN =
  /\/\*\*\s*(?:\*\s*)?(It|Its|They|Their|Those|These|The same|The others?|Whoever|What|Where|Who|Whom|Which|As|Of|So)\b/g;

function pronounFaults(file: string, text: string): readonly ProseFault[] {
  return Array.from(text.matchAll(PRONOUN), (match) => ({
    file,
    line: text.slice(0, match.index).split('\n').length,
    rule: 'pronoun',
    text: `a doc comment starts with '${match[1]}'`,
  }));
}

const EXPORTED_TYPE = /^export (?:interface|type|(?:abstract )?class) (\w+)/gm;

/**
 * Type names that two layers use deliberately for different things, with the reason. Names within
 * one layer are never shared.
 */
const SHARED_BY_LAYERS: ReadonlyMap<string, string> = new Map([
  [
    'Client',
    'the library offers the client of its layer under the same name, with the types of the catalog',
  ],
  [
    'OperationName',
    'the library offers the names of the catalog without those that need a workspace',
  ],
]);

/** Finds names of exported types that two files define differently. */
function sharedNames(
  sources: readonly { readonly file: string; readonly text: string }[],
): readonly ProseFault[] {
  const found = sources.flatMap(({ file, text }) =>
    Array.from(text.matchAll(EXPORTED_TYPE), ({ 1: name = '', index }) => {
      const [, layer = ''] = file.split('/');
      return { name, layer, file, line: text.slice(0, index).split('\n').length };
    }),
  );
  return Map.groupBy(found, ({ name }) => name)
    .values()
    .flatMap(([first, ...others]) =>
      others
        .filter(({ name, layer }) => layer === first?.layer || !SHARED_BY_LAYERS.has(name))
        .map(
          ({ file, line, name }): ProseFault => ({
            file,
            line,
            rule: 'shared-name',
            text: `${name} is also the name of a type in ${first?.file}`,
          }),
        ),
    )
    .toArray();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = proseFaults(join(import.meta.dirname, '../..'));
  for (const { file, line, rule, text } of faults) console.log(`${file}:${line}: ${rule}: ${text}`);
  console.log(
    faults.length === 0 ? 'no faults in the prose' : `${faults.length} faults in the prose`,
  );
  process.exitCode = faults.length === 0 ? 0 : 1;
}
