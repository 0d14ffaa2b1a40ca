import { styleText } from 'node:util';
import { confirm, input, password, search } from '@inquirer/prompts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { wrapWords } from '../../output/wrap.ts';
import {
  answerProblem,
  type Choice,
  EMPTY_ANSWER,
  filterChoices,
  type PickPrompt,
  type Prompter,
  type PrompterDependencies,
  parseAnswer,
  type TextPrompt,
} from '../prompter.ts';
import { askMultiSelect } from './multi-select.ts';
import { PAGE_SIZE, runPrompt } from './run-prompt.ts';

/** Creates a prompter that redraws its lines. Prompts are written to stderr, because stdout is for results. */
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
    ? styleText('dim', ` (${defaultValue ? EMPTY_ANSWER : 'Enter'}: ${escapeForTerminal(emptyMeaning)})`)
    : '';
  const prompt = {
    message: wrapMessage(context, message),
    default: defaultValue ?? '',
    validate: (typed: string) => escapeForTerminal(answerProblem(question, parseAnswer(question, typed)) ?? '') || true,
    transformer: (typed: string, { isFinal }: { isFinal: boolean }) => {
      if (isFinal) return styleText('cyan', escapeForTerminal(parseAnswer(question, typed) || (emptyMeaning ?? '')));
      const shown = escapeForTerminal(typed);
      return typed.trim() !== '' && validate?.(parseAnswer(question, typed)) !== undefined ? styleText('red', shown) : shown;
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

/** Prompts for a choice from a list that the user filters by typing. If other text is allowed, it is the last row. */
function askPick(context: PrompterDependencies, { message, choices, defaultValue, allowsOther }: PickPrompt): Promise<string> {
  const source = (typed = '') => {
    const term = typed.trim();
    const found = filterChoices(choices, term);
    const isOther = allowsOther && term !== '' && !choices.some(({ value }) => value === term);
    return [...found, ...(isOther ? [{ value: term, description: 'not in the list' }] : [])].map(toRow);
  };
  return runPrompt(context, (streams) =>
    search(
      { message: wrapMessage(context, message), pageSize: PAGE_SIZE, source, ...(defaultValue && { default: defaultValue }) },
      streams,
    ),
  );
}

function toRow({ value, description }: Choice) {
  return { value, name: escapeForTerminal(value), ...(description && { description: escapeForTerminal(description) }) };
}
