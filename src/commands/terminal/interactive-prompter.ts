import { styleText } from 'node:util';
import { confirm, input, password, Separator, search, select } from '@inquirer/prompts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { wrapWords } from '../../output/wrap.ts';
import {
  answerProblem,
  type Choice,
  EMPTY_ANSWER,
  type MultiSelectPrompt,
  type Prompter,
  type PrompterDependencies,
  parseAnswer,
  type SelectPrompt,
  type TextPrompt,
  toggleAll,
  valuesInGroup,
} from '../prompter.ts';
import { interruptedError } from './interrupted.ts';

/** Creates a prompter that redraws its lines. Prompts go to stderr, so that stdout contains only results. */
export function createInteractivePrompter(context: PrompterDependencies): Prompter {
  return {
    text: (question) => askText(context, question),
    secret: (message) => runPrompt(context, (streams) => password({ message: wrapMessage(context, message) }, streams)),
    confirm: (message, defaultValue, { isRemovedAfterwards = false } = {}) =>
      runPrompt(context, (streams) =>
        confirm(
          { message: wrapMessage(context, message), default: defaultValue },
          { ...streams, clearPromptOnDone: isRemovedAfterwards },
        ),
      ),
    select: (question) => askSelect(context, question),
    multiSelect: (question) => askMultiSelect(context, question),
  };
}

/** Columns reserved next to a question, for the symbol before it and the default answer after it. */
const RESERVED_COLUMNS = 10;

/** Wraps a question between words, because the prompts library breaks lines anywhere. */
function wrapMessage({ io }: PrompterDependencies, message: string): string {
  const width = Math.max((io.stderr.columns || 80) - RESERVED_COLUMNS, RESERVED_COLUMNS);
  return wrapWords(escapeForTerminal(message), width, (text) => text.length).join('\n');
}

/** Asks for text. An invalid answer is red while it is typed; Enter shows the reason. */
function askText(context: PrompterDependencies, question: TextPrompt): Promise<string> {
  const { message, defaultValue, emptyMeaning, validate } = question;
  const emptyOption = emptyMeaning
    ? styleText('dim', ` (${defaultValue ? EMPTY_ANSWER : 'Enter'}: ${escapeForTerminal(emptyMeaning)})`)
    : '';
  const prompt = {
    message: wrapMessage(context, message),
    default: defaultValue ?? '',
    validate: (typed: string) => escapeForTerminal(answerProblem(question, parseAnswer(question, typed)) ?? '') || true,
    transformer: (typed: string, { isFinal }: { isFinal: boolean }) => {
      if (isFinal) return styleText('cyan', escapeForTerminal(parseAnswer(question, typed) || (emptyMeaning ?? '')));
      const shown = escapeForTerminal(typed);
      return typed.trim() !== '' && validate?.(parseAnswer(question, typed)) !== undefined
        ? styleText('red', shown)
        : shown;
    },
    theme: {
      style: {
        defaultAnswer: (text: string) => styleText('dim', `(${escapeForTerminal(text)})`),
        message: (text: string, status: string) => styleText('bold', text) + (status === 'done' ? '' : emptyOption),
      },
    },
  };
  return runPrompt(context, async (streams) => parseAnswer(question, await input(prompt, streams)));
}

function askSelect(context: PrompterDependencies, { message, choices, defaultValue }: SelectPrompt): Promise<string> {
  const listed = choices.map(({ value, description }) => ({
    value,
    name: escapeForTerminal(value),
    ...(description && { description: escapeForTerminal(description) }),
  }));
  return runPrompt(context, (streams) =>
    select(
      { message: wrapMessage(context, message), choices: listed, default: defaultValue, pageSize: PAGE_SIZE },
      streams,
    ),
  );
}

/** Value of the row that ends the selection. */
const DONE = 'end';

const PAGE_SIZE = 12;

/**
 * Asks for several choices from a searchable list. Enter and space toggle a row and show the list again, with the same search
 * term, until the row that ends the selection is chosen.
 */
async function askMultiSelect(context: PrompterDependencies, question: MultiSelectPrompt): Promise<readonly string[]> {
  const { message, emptyMeaning } = question;
  const chosen = new Set(question.defaultValues);
  const list: PickerList = { term: '', hidden: 0 };
  let [at, isSpace] = ['', false];
  for (;;) {
    const picked: string = await runPrompt(
      context,
      (streams) =>
        search<string>(pickerConfig(context, question, { chosen, at, list }), { ...streams, clearPromptOnDone: true }),
      (key) => {
        isSpace = key.name === 'space';
        treatSpaceAsEnter(key);
      },
    );
    if (picked === DONE) break;
    toggleAll(chosen, valuesOfRow(question, picked));
    // Stay on the toggled row. After Enter in a search, move to the row that ends the selection.
    at = list.term === '' || isSpace ? picked : DONE;
  }
  const summary = chosen.size === 0 ? emptyMeaning : [...chosen].join(', ');
  const { stderr } = context.io;
  await stderr.write(
    `${styleText('green', '✔')} ${styleText('bold', escapeForTerminal(message))} ${styleText('cyan', escapeForTerminal(summary))}\n`,
  );
  return [...chosen];
}

/** State of the list that outlives one prompt. */
interface PickerList {
  term: string;
  /** Number of choices that don't fit on the page. */
  hidden: number;
}

interface PickerState {
  readonly chosen: ReadonlySet<string>;
  /** Row under the cursor. */
  readonly at: string;
  readonly list: PickerList;
}

function pickerConfig({ io }: PrompterDependencies, question: MultiSelectPrompt, { chosen, at, list }: PickerState) {
  return {
    message: escapeForTerminal(question.message),
    pageSize: PAGE_SIZE,
    source: (term = '') => {
      list.term = term.trim();
      const found = rows(question, chosen, list.term);
      list.hidden = countHiddenRows(found, io.stderr.columns || 80);
      return found;
    },
    default: at,
    initialValue: list.term,
    theme: { style: { keysHelpTip: () => keysHelpTip(list) } },
  };
}

function keysHelpTip({ term, hidden }: PickerList): string {
  const parts = [
    ...(hidden > 0 ? [`${hidden} more`] : []),
    term === '' ? 'type to search' : 'backspace clears the search',
    '↑↓ move',
    'space or ⏎ select',
  ];
  return styleText('dim', parts.join(' • '));
}

type Row = Separator | { readonly value: string; readonly name: string };

/** Counts the choices after the first page. */
function countHiddenRows(all: readonly Row[], columns: number): number {
  let lines = 0;
  const hidden = all.filter((row) => {
    const text = row instanceof Separator ? row.separator : row.name;
    lines += Math.ceil((text.length + CURSOR_WIDTH) / columns);
    return lines > PAGE_SIZE && !(row instanceof Separator);
  });
  return hidden.length;
}

/** Columns before the text of a row. */
const CURSOR_WIDTH = 2;

/** Group of selected values that are not among the choices. */
const OTHER_GROUP = 'others';
const GROUP_PREFIX = 'group ';
const VALUE_PREFIX = 'value ';

function valuesOfRow({ choices }: MultiSelectPrompt, picked: string): readonly string[] {
  if (picked.startsWith(GROUP_PREFIX)) return valuesInGroup(choices, picked.slice(GROUP_PREFIX.length));
  return [picked.slice(VALUE_PREFIX.length)];
}

/** Rows that match the search term. The row that ends the selection comes first, unless there is a search term. */
function rows(question: MultiSelectPrompt, chosen: ReadonlySet<string>, term: string): readonly Row[] {
  const { choices, emptyMeaning } = question;
  const end = {
    value: DONE,
    name: chosen.size === 0 ? `Continue with ${emptyMeaning}` : `Continue with the ${chosen.size} selected`,
  };
  const listed = [...choices, ...[...chosen].filter(isOther(choices)).map((value) => ({ value, group: OTHER_GROUP }))];
  const found = listed.filter((choice: Choice) => matches(choice, term));
  const groups = [...Map.groupBy(found, ({ group = '' }) => group)].flatMap(([group, members]) => [
    ...(group === '' ? [] : [new Separator(`── ${escapeForTerminal(group)} ──`)]),
    ...(term === '' && members.length > 1 && group !== '' && group !== OTHER_GROUP
      ? [groupRow(group, valuesInGroup(listed, group), chosen)]
      : []),
    ...members.map((choice) => valueRow(choice, chosen)),
  ]);
  if (term === '') return [end, ...groups];
  return [...groups, ...(listed.some(({ value }) => value === term) ? [] : newValueRows(question, chosen, term)), end];
}

/** Row for a search term that is not in the list, or the reason why it cannot be selected if nothing else matches. */
function newValueRows(
  { choices, validateOther }: MultiSelectPrompt,
  chosen: ReadonlySet<string>,
  term: string,
): readonly Row[] {
  const problem = validateOther(term);
  if (problem === undefined) return [valueRow({ value: term, description: 'not in the list' }, chosen)];
  return choices.some((choice) => matches(choice, term)) ? [] : [new Separator(escapeForTerminal(problem))];
}

function matches({ value, description = '' }: Choice, term: string): boolean {
  return `${value} ${description}`.includes(term);
}

function isOther(choices: readonly Choice[]): (value: string) => boolean {
  return (value) => !choices.some((choice) => choice.value === value);
}

function groupRow(group: string, values: readonly string[], chosen: ReadonlySet<string>) {
  const isOn = values.every((value) => chosen.has(value));
  return {
    value: GROUP_PREFIX + group,
    name: `${checkbox(isOn)} all of ${escapeForTerminal(group)} (${values.length})`,
  };
}

function valueRow({ value, description }: Choice, chosen: ReadonlySet<string>) {
  const name = `${checkbox(chosen.has(value))} ${escapeForTerminal(value)}`;
  return { value: VALUE_PREFIX + value, name, ...(description && { description: escapeForTerminal(description) }) };
}

function checkbox(isOn: boolean): string {
  return isOn ? '[x]' : '[ ]';
}

type Streams = { readonly signal: AbortSignal } & Record<'input', NodeJS.ReadableStream> &
  Record<'output', NodeJS.WritableStream>;

/** A key, as parsed by readline. */
interface Key {
  name?: string;
  ctrl?: boolean;
}

/** Converts a space to Enter for later listeners, because a space is never part of a search. */
function treatSpaceAsEnter(key: Key): void {
  if (key.name === 'space') key.name = 'return';
}

/** Runs a prompt. Ctrl-D cancels it like Ctrl-C; the prompts library would leave it open forever. */
async function runPrompt<Value>(
  { io, signal }: PrompterDependencies,
  prompt: (streams: Streams) => Promise<Value>,
  onKey?: (key: Key) => void,
): Promise<Value> {
  const canceled = new AbortController();
  const onKeypress = (_: unknown, key: Key) => {
    if (key.ctrl && key.name === 'd') canceled.abort();
    onKey?.(key);
  };
  const input = io.stdin.stream.on('keypress', onKeypress);
  try {
    return await prompt({ input, output: io.stderr.stream, signal: AbortSignal.any([signal, canceled.signal]) });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (canceled.signal.aborted || (error instanceof Error && error.name === 'ExitPromptError'))
      throw interruptedError(error);
    throw error;
  } finally {
    input.off('keypress', onKeypress);
  }
}
