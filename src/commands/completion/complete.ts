import { currentPlatform } from '../../kernel/process.ts';
import { TOPICS } from '../help/topic-names.ts';
import { longName } from '../options.ts';
import { commandTree, subcommandsOf } from '../tree/tree.ts';
import { type Candidate, type CompletionDependencies, candidateLines } from './candidate.ts';
import { parseTypedLine, type TypedLine } from './typed-line.ts';
import { type CompletionRequest, operandCandidates, valueCandidates } from './value-candidates.ts';

export async function completeLine(
  words: readonly string[],
  dependencies: CompletionDependencies,
): Promise<string> {
  const isWindows = (dependencies.platform ?? currentPlatform) === 'win32';
  const typed = words.map((word) => unquote(word, isWindows));
  return candidateLines(await candidates(typed.length > 0 ? typed : [''], dependencies));
}

/**
 * Removes quotes and escapes from a typed word. On Windows, keeps backslashes that are path
 * separators.
 */
function unquote(word: string, isWindows: boolean): string {
  if (!/['"\\]/.test(word)) return word;
  const pattern = isWindows ? QUOTED_ON_WINDOWS : QUOTED;
  return word.replace(pattern, (_, single, double, escaped) =>
    String(single ?? double?.replace(isWindows ? /\\(["$`])/g : /\\(["\\$`])/g, '$1') ?? escaped),
  );
}

const QUOTED = /'([^']*)'?|"((?:\\.|[^"\\])*)"?|\\(.)/gs;
const QUOTED_ON_WINDOWS = /'([^']*)'?|"((?:\\"|[^"])*)"?|\\([^\w.~\\-])/gs;

async function candidates(
  words: readonly string[],
  dependencies: CompletionDependencies,
): Promise<Candidate[]> {
  const isHelp = words.length > 1 && words[0] === 'help';
  const line = await parseTypedLine(commandTree(), isHelp ? words.slice(1) : words);
  const all = isHelp ? helpCandidates(line) : await lineCandidates({ ...line, ...dependencies });
  return all
    .map(({ value, ...rest }) => ({ value: line.prefix + value, ...rest }))
    .filter(({ value }) => value.startsWith(line.prefix + line.partial));
}

async function lineCandidates(request: CompletionRequest): Promise<readonly Candidate[]> {
  if (request.valueFlag) return valueCandidates(request.valueFlag, request);
  if (request.partial.startsWith('-')) return flagCandidates(request);
  return request.leaf || request.operands.length > 0
    ? operandCandidates(request)
    : commandCandidates(request);
}

function commandCandidates({ node }: TypedLine): readonly Candidate[] {
  return subcommandsOf(node).map(([value, description]) => ({ value, description }));
}

function helpCandidates(line: TypedLine): readonly Candidate[] {
  if (line.leaf || line.operands.length > 0) return [];
  const topics =
    line.node.path.length === 0
      ? TOPICS.map(([value, description]) => ({ value, description }))
      : [];
  return [...commandCandidates(line).filter(({ value }) => value !== 'help'), ...topics];
}

function flagCandidates({ flags, givenFlags }: TypedLine): readonly Candidate[] {
  return flags
    .filter((flag) => flag.many || !givenFlags.has(longName(flag)))
    .map((flag) => {
      const [value = ''] = /<.*/.exec(flag.flags) ?? [];
      return { value: `--${longName(flag)}`, description: `${flag.description} ${value}`.trim() };
    });
}
