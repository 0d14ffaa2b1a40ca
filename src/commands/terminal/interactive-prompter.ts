import { styleText } from 'node:util';
import { confirm, input, password, Separator, search } from '@inquirer/prompts';
import { upperFirst } from '../../kernel/first-letter.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { wrapWords } from '../../output/wrap.ts';
import {
  answerProblem,
  type Choice,
  describeLetters,
  EMPTY_ANSWER,
  filterChoices,
  findLetterAnswer,
  type LetterPrompt,
  letterProblem,
  type MultiSelectPrompt,
  type PickPrompt,
  type Prompter,
  type PrompterDependencies,
  parseAnswer,
  type TextPrompt,
} from '../prompter.ts';
import { PAGE_SIZE, runPrompt } from './run-prompt.ts';

/**
 * Creates a prompter that redraws its lines. Prompts are written to stderr, because stdout is for
 * results.
 */
export function createInteractivePrompter(context: PrompterDependencies): Prompter {
  return {
    text: (question) => askText(context, question),
    secret: (message) =>
      runPrompt(context, (streams) =>
        password({ message: wrapMessage(context, message) }, streams),
      ),
    confirm: (message, defaultValue) =>
      runPrompt(context, (streams) =>
        confirm({ message: wrapMessage(context, message), default: defaultValue }, streams),
      ),
    letter: (question) => askLetter(context, question),
    pick: (question) => askPick(context, question),
    multiSelect: (question) => askMultiSelect(context, question),
  };
}

/** Columns next to a question for its symbol and the default answer. */
const RESERVED_COLUMNS = 10;

/** Wraps a question at word boundaries. The prompts library would break it anywhere. */
function wrapMessage({ io }: PrompterDependencies, message: string): string {
  const width = Math.max((io.stderr.columns || 80) - RESERVED_COLUMNS, RESERVED_COLUMNS);
  return wrapWords(escapeForTerminal(message), width, (text) => text.length).join('\n');
}

/** Prompts for text. Shows an invalid answer in red; Enter shows the reason. */
function askText(context: PrompterDependencies, question: TextPrompt): Promise<string> {
  const { message, defaultValue, emptyMeaning, validate } = question;
  const emptyOption = emptyMeaning
    ? styleText(
        'dim',
        ` (${defaultValue ? EMPTY_ANSWER : 'Enter'}: ${escapeForTerminal(emptyMeaning)})`,
      )
    : '';
  const prompt = {
    message: wrapMessage(context, message),
    default: defaultValue ?? '',
    validate: (typed: string) =>
      escapeForTerminal(answerProblem(question, parseAnswer(question, typed)) ?? '') || true,
    transformer: (typed: string, { isFinal }: { isFinal: boolean }) => {
      if (isFinal)
        return styleText(
          'cyan',
          escapeForTerminal(parseAnswer(question, typed) || (emptyMeaning ?? '')),
        );
      const shown = escapeForTerminal(typed);
      return typed.trim() !== '' && validate?.(parseAnswer(question, typed)) !== undefined
        ? styleText('red', shown)
        : shown;
    },
    theme: {
      style: {
        defaultAnswer: (text: string) => styleText('dim', `(${escapeForTerminal(text)})`),
        message: (text: string, status: string) =>
          styleText('bold', text) + (status === 'done' ? '' : emptyOption),
      },
    },
  };
  return runPrompt(context, async (streams) => parseAnswer(question, await input(prompt, streams)));
}

/** Prompts for a letter, and shows the name of the answer afterwards. */
async function askLetter<Letter extends string>(
  context: PrompterDependencies,
  question: LetterPrompt<Letter>,
): Promise<Letter> {
  const find = (typed: string) => findLetterAnswer(question, typed);
  const prompt = {
    message: wrapMessage(context, `${question.message} (${describeLetters(question, true)})`),
    validate: (typed: string) => find(typed) !== undefined || letterProblem(question),
    transformer: (typed: string, { isFinal }: { isFinal: boolean }) =>
      isFinal ? styleText('cyan', upperFirst(find(typed)?.name ?? '')) : escapeForTerminal(typed),
  };
  const chosen = find(await runPrompt(context, (streams) => input(prompt, streams)));
  if (!chosen) throw new TypeError('a prompt accepts only its answers');
  return chosen.letter;
}

/**
 * Prompts for a choice from a list that the user filters by typing. If other text is allowed, it is
 * the last row.
 */
function askPick(
  context: PrompterDependencies,
  { message, choices, defaultValue, allowsOther }: PickPrompt,
): Promise<string> {
  const source = (typed = '') => {
    const term = typed.trim();
    const found = filterChoices(choices, term);
    const isOther = allowsOther && term !== '' && !choices.some(({ value }) => value === term);
    return [...found, ...(isOther ? [{ value: term, description: 'not in the list' }] : [])].map(
      toRow,
    );
  };
  return runPrompt(context, (streams) =>
    search(
      {
        message: wrapMessage(context, message),
        pageSize: PAGE_SIZE,
        source,
        ...(defaultValue && { default: defaultValue }),
      },
      streams,
    ),
  );
}

function toRow({ value, label = value, description }: Choice) {
  return {
    value,
    name: escapeForTerminal(label),
    ...(description && { description: escapeForTerminal(description) }),
  };
}

const SEPARATOR = '\n';
const DONE = SEPARATOR;

/**
 * Prompts for several choices from a searchable list. Enter and space toggle a row, clear the
 * search, and redisplay the list, until the user chooses the row that ends the selection.
 */
async function askMultiSelect(
  context: PrompterDependencies,
  question: MultiSelectPrompt,
): Promise<readonly string[]> {
  const message = escapeForTerminal(question.message);
  const { stderr } = context.io;
  const chosen = new Set(question.defaultValues);
  let [term, hidden, at, isSpace, isTab] = ['', 0, DONE, false, false];
  const source = (typed = '') => {
    term = typed.trim();
    const found = createRows(question, chosen, term);
    hidden = countHiddenRows(found, stderr.columns || 80);
    return found;
  };
  const theme = {
    style: { keysHelpTip: () => keysHelpTip(term, hidden, nameSelection(question, chosen)) },
  };
  for (;;) {
    const config = { message, pageSize: PAGE_SIZE, source, default: at, theme };
    const picked: string = await runPrompt(
      context,
      (streams) => search<string>(config, { ...streams, clearPromptOnDone: true }),
      (key) => {
        isSpace = key.name === 'space';
        isTab = key.name === 'tab';
        // A search never contains a space or a tab, so later listeners get Enter.
        if (isSpace || isTab) key.name = 'return';
      },
    );
    if (picked === DONE || isTab) break;
    const values = picked.split(SEPARATOR);
    const isOn = values.every((value) => chosen.has(value));
    for (const value of values) isOn ? chosen.delete(value) : chosen.add(value);
    // Stays on the toggled row. After Enter in a search, moves to the row that ends the selection.
    at = term === '' || isSpace ? picked : DONE;
    term = '';
  }
  const summary = chosen.size === 0 ? question.emptyMeaning : [...chosen].join(', ');
  await stderr.write(
    `${styleText('green', '✔')} ${styleText('bold', message)} ${styleText('cyan', escapeForTerminal(summary))}\n`,
  );
  return [...chosen];
}

function keysHelpTip(term: string, hidden: number, selection: string): string {
  const parts = [
    `tab continues with ${selection}`,
    ...(hidden > 0 ? [`${hidden} more`] : []),
    term === '' ? 'type to search' : 'backspace clears the search',
    '↑↓ move',
    'space or ⏎ select',
  ];
  return styleText('dim', parts.join(' • '));
}

/** Names the selection: `all events`, `the 2 selected`. */
function nameSelection({ emptyMeaning }: MultiSelectPrompt, chosen: ReadonlySet<string>): string {
  return chosen.size === 0 ? emptyMeaning : `the ${chosen.size} selected`;
}

type Row = Separator | { readonly value: string; readonly name: string };

function countHiddenRows(all: readonly Row[], columns: number): number {
  let lines = 0;
  const hidden = all.filter((row) => {
    const text = row instanceof Separator ? row.separator : row.name;
    lines += Math.ceil((text.length + CURSOR_WIDTH) / columns);
    return lines > PAGE_SIZE && !(row instanceof Separator);
  });
  return hidden.length;
}

const CURSOR_WIDTH = 2;
/** Group of selected values that are not choices. */
const OTHER_GROUP = 'others';

/**
 * Creates the rows that match the search term. Without a term, the row that ends the selection
 * comes first.
 */
function createRows(
  question: MultiSelectPrompt,
  chosen: ReadonlySet<string>,
  term: string,
): readonly Row[] {
  const { choices } = question;
  const end = {
    value: DONE,
    name: `Continue with ${nameSelection(question, chosen)}`,
  };
  const others = [...chosen].filter((value) => !choices.some((choice) => choice.value === value));
  const listed = [...choices, ...others.map((value) => ({ value, group: OTHER_GROUP }))];
  const found = filterChoices(listed, term);
  const groups = [...Map.groupBy(found, ({ group = '' }) => group)].flatMap(([group, members]) => [
    new Separator(`── ${escapeForTerminal(group)} ──`),
    ...(term === '' && members.length > 1 && group !== OTHER_GROUP
      ? [groupRow(group, members, chosen)]
      : []),
    ...members.map((choice) => valueRow(choice, chosen)),
  ]);
  if (term === '') return [end, ...groups];
  if (listed.some(({ value }) => value === term)) return [...groups, end];
  const problem = question.validateOther(term);
  if (problem === undefined)
    return [...groups, valueRow({ value: term, description: 'not in the list' }, chosen), end];
  return [
    ...groups,
    ...(filterChoices(choices, term).length > 0 ? [] : [new Separator(escapeForTerminal(problem))]),
    end,
  ];
}

function groupRow(group: string, members: readonly Choice[], chosen: ReadonlySet<string>) {
  const values = members.map(({ value }) => value);
  const isOn = values.every((value) => chosen.has(value));
  return {
    value: values.join(SEPARATOR),
    name: `${checkbox(isOn)} all of ${escapeForTerminal(group)} (${values.length})`,
  };
}

function valueRow({ value, description }: Choice, chosen: ReadonlySet<string>) {
  const name = `${checkbox(chosen.has(value))} ${escapeForTerminal(value)}`;
  return { value, name, ...(description && { description: escapeForTerminal(description) }) };
}

function checkbox(isOn: boolean): string {
  return isOn ? '[x]' : '[ ]';
}
