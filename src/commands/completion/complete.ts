import { thisPlatform } from '../../kernel/io.ts';
import { TOPIC_NAMES } from '../help/topic-names.ts';
import { commandsBelow, commandTree } from '../tree/tree.ts';
import { type Candidate, type CompletionDependencies, candidateLines } from './candidate.ts';
import { longName, namesOf, readTypedLine, type TypedLine, takesValue } from './typed-line.ts';
import { operandCandidates, valueCandidates } from './values.ts';

/** The candidates for the last of the words, as text for a shell. Whatever goes wrong, a shell is shown no error. */
export async function completeLine(words: readonly string[], dependencies: CompletionDependencies): Promise<string> {
  const isWindows = (dependencies.platform ?? thisPlatform) === 'win32';
  const typed = words.map((word) => unquoted(word, isWindows));
  return candidateLines(await candidates(typed.length > 0 ? typed : [''], dependencies));
}

/**
 * Words may come as they were typed, with quotes and backslashes. Nothing in them is expanded. On Windows a backslash
 * before what a file's name may begin with stands between folders.
 */
function unquoted(word: string, isWindows: boolean): string {
  if (!/['"\\]/.test(word)) return word;
  const pattern = isWindows ? QUOTED_ON_WINDOWS : QUOTED;
  return word.replace(pattern, (_, single, double, escaped) =>
    String(single ?? double?.replace(isWindows ? /\\(["$`])/g : /\\(["\\$`])/g, '$1') ?? escaped),
  );
}

const QUOTED = /'([^']*)'?|"((?:\\.|[^"\\])*)"?|\\(.)/gs;
const QUOTED_ON_WINDOWS = /'([^']*)'?|"((?:\\"|[^"])*)"?|\\([^\w.~\\-])/gs;

async function candidates(words: readonly string[], dependencies: CompletionDependencies): Promise<Candidate[]> {
  const aboutHelp = words.length > 1 && words[0] === 'help';
  const line = await readTypedLine(commandTree(), aboutHelp ? words.slice(1) : words);
  const all = aboutHelp ? helpCandidates(line) : await candidatesOf(line, dependencies);
  return all
    .map(({ value, ...rest }) => ({ value: line.lead + value, ...rest }))
    .filter(({ value }) => value.startsWith(line.lead + line.typed));
}

async function candidatesOf(line: TypedLine, dependencies: CompletionDependencies): Promise<readonly Candidate[]> {
  if (line.valueOf) return valueCandidates(line.valueOf, line, dependencies);
  if (line.typed.startsWith('-')) return flagCandidates(line);
  if (line.leaf) return operandCandidates(line.leaf, line, dependencies);
  return line.operands.length > 0 ? operandCandidates(undefined, line, dependencies) : commandCandidates(line);
}

function commandCandidates({ node }: TypedLine): readonly Candidate[] {
  return commandsBelow(node).map(([value, describes]) => ({ value, describes }));
}

function helpCandidates(line: TypedLine): readonly Candidate[] {
  if (line.leaf || line.operands.length > 0) return [];
  const topics = line.node.path.length === 0 ? TOPIC_NAMES.map((value) => ({ value, describes: 'a topic' })) : [];
  return [...commandCandidates(line).filter(({ value }) => value !== 'help'), ...topics];
}

/** The flags that may still be given: a second value only where a flag takes several. */
function flagCandidates({ flags, given }: TypedLine): readonly Candidate[] {
  return flags
    .filter((flag) => flag.many || !given.has(longName(flag)))
    .map((flag) => ({ value: namesOf(flag.flags).at(-1) ?? '', describes: describesOf(flag) }));
}

function describesOf(flag: Parameters<typeof takesValue>[0]): string {
  const value = takesValue(flag) ? ` ${flag.flags.slice(flag.flags.indexOf('<'))}` : '';
  return `${flag.describes}${value}`.trim();
}
