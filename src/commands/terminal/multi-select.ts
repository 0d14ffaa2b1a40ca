import { styleText } from 'node:util';
import { Separator, search } from '@inquirer/prompts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import {
  type Choice,
  type MultiSelectPrompt,
  type PrompterDependencies,
  toggleAll,
  valuesInGroup,
} from '../prompter.ts';
import { PAGE_SIZE, runPrompt } from './run-prompt.ts';

/** Value of the row that ends the selection. */
const DONE = 'end';

/**
 * Prompts for several choices from a searchable list. Enter and space toggle a row and redisplay the list with the same
 * search term, until the user chooses the row that ends the selection.
 */
export async function askMultiSelect(
  context: PrompterDependencies,
  question: MultiSelectPrompt,
): Promise<readonly string[]> {
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
        // A search never contains a space, so later listeners get Enter.
        if (isSpace) key.name = 'return';
      },
    );
    if (picked === DONE) break;
    toggleAll(chosen, valuesOfRow(question, picked));
    // Stays on the toggled row. After Enter in a search, moves to the row that ends the selection.
    at = list.term === '' || isSpace ? picked : DONE;
  }
  const summary = chosen.size === 0 ? emptyMeaning : [...chosen].join(', ');
  await context.io.stderr.write(
    `${styleText('green', '✔')} ${styleText('bold', escapeForTerminal(message))} ${styleText('cyan', escapeForTerminal(summary))}\n`,
  );
  return [...chosen];
}

/** State that is kept between prompts. */
interface PickerList {
  term: string;
  /** Number of choices after the first page. */
  hidden: number;
}

/** @param at row under the cursor */
function pickerConfig(
  { io }: PrompterDependencies,
  question: MultiSelectPrompt,
  { chosen, at, list }: { readonly chosen: ReadonlySet<string>; readonly at: string; readonly list: PickerList },
) {
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

/** Columns before the text of each row. */
const CURSOR_WIDTH = 2;

/** Group of selected values that are not choices. */
const OTHER_GROUP = 'others';
const GROUP_PREFIX = 'group ';
const VALUE_PREFIX = 'value ';

function valuesOfRow({ choices }: MultiSelectPrompt, picked: string): readonly string[] {
  if (picked.startsWith(GROUP_PREFIX)) return valuesInGroup(choices, picked.slice(GROUP_PREFIX.length));
  return [picked.slice(VALUE_PREFIX.length)];
}

/** Creates the rows that match the search term. Without a term, the row that ends the selection comes first. */
function rows(question: MultiSelectPrompt, chosen: ReadonlySet<string>, term: string): readonly Row[] {
  const { choices, emptyMeaning } = question;
  const end = {
    value: DONE,
    name: chosen.size === 0 ? `Continue with ${emptyMeaning}` : `Continue with the ${chosen.size} selected`,
  };
  const others = [...chosen].filter((value) => !choices.some((choice) => choice.value === value));
  const listed = [...choices, ...others.map((value) => ({ value, group: OTHER_GROUP }))];
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

/** Creates a row for a search term that is not in the list. For an invalid term, the row contains the reason. */
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

function groupRow(group: string, values: readonly string[], chosen: ReadonlySet<string>) {
  const isOn = values.every((value) => chosen.has(value));
  const name = `${checkbox(isOn)} all of ${escapeForTerminal(group)} (${values.length})`;
  return { value: GROUP_PREFIX + group, name };
}

function valueRow({ value, description }: Choice, chosen: ReadonlySet<string>) {
  const name = `${checkbox(chosen.has(value))} ${escapeForTerminal(value)}`;
  return { value: VALUE_PREFIX + value, name, ...(description && { description: escapeForTerminal(description) }) };
}

function checkbox(isOn: boolean): string {
  return isOn ? '[x]' : '[ ]';
}
