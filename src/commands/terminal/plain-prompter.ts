import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
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
import { continueAfterSuspension, createInterruptedError, suspendJob } from './run-prompt.ts';

/** Creates a prompter that prints plain lines. The terminal echoes and edits the input. */
export function createPlainPrompter({ io, signal }: PrompterDependencies): Prompter {
  const input = createPlainInput(io.stdin.stream, signal);
  const write = (text: string) => io.stderr.write(text);
  // The terminal would break lines inside words.
  const wrap = (text: string) => {
    const columns = io.stderr.columns || 80;
    return wrapWords(escapeForTerminal(text), columns, (part) => part.length).join('\n');
  };
  const answerTo = async (prompt: string, read: () => Promise<string>) => {
    const shown = `${wrap(prompt)} `;
    const stopContinuing = continueAfterSuspension(io.stdin.stream, {
      isRaw: read === input.secret,
      redraw: () => void write(shown),
    });
    try {
      await write(shown);
      return (await read()).trim();
    } catch (error) {
      // Starts the error message on a new line.
      await write('\n');
      throw error;
    } finally {
      stopContinuing();
    }
  };
  const page: PlainPage = {
    print: (line) => write(`${wrap(line)}\n`),
    read: (prompt) => answerTo(prompt, input.line),
  };
  return {
    text: (question) => askText(page, question),
    secret: async (message) => {
      const secret = await answerTo(`${message} (not shown):`, input.secret);
      await write('\n');
      return secret;
    },
    confirm: (message, defaultValue) => askConfirm(page, message, defaultValue),
    letter: (question) => askLetter(page, question),
    pick: (question) => askPick(page, question),
    multiSelect: (question) => askMultiSelect(page, question),
  };
}

interface PlainPage {
  print(line: string): Promise<void>;
  read(prompt: string): Promise<string>;
}

async function askText(page: PlainPage, question: TextPrompt): Promise<string> {
  const { message, defaultValue, emptyMeaning } = question;
  const emptyOption =
    defaultValue && emptyMeaning !== undefined ? `; ${EMPTY_ANSWER}: ${emptyMeaning}` : '';
  const meaning = defaultValue || emptyMeaning;
  for (;;) {
    const answer = parseAnswer(
      question,
      await page.read(`${message}${meaning ? ` (Enter: ${meaning}${emptyOption})` : ''}:`),
    );
    const problem = answerProblem(question, answer);
    if (problem === undefined) return answer;
    await page.print(`  ${problem}`);
  }
}

async function askConfirm(
  page: PlainPage,
  message: string,
  defaultValue: boolean,
): Promise<boolean> {
  for (;;) {
    const answer = (
      await page.read(`${message} (y or n; Enter: ${defaultValue ? 'yes' : 'no'}):`)
    ).toLowerCase();
    if (answer === '') return defaultValue;
    if (['y', 'yes'].includes(answer)) return true;
    if (['n', 'no'].includes(answer)) return false;
    await page.print('  answer y or n');
  }
}

async function askLetter<Letter extends string>(
  page: PlainPage,
  question: LetterPrompt<Letter>,
): Promise<Letter> {
  const enter = question.answers[0]?.name;
  for (;;) {
    const prompt = `${question.message} (${describeLetters(question, false)}; Enter: ${enter}):`;
    const chosen = findLetterAnswer(question, await page.read(prompt));
    if (chosen) return chosen.letter;
    await page.print(`  ${letterProblem(question)}`);
  }
}

const MAX_LISTED = 12;

/**
 * Prompts for a choice from a list, by number or name. For a part of a name, lists the matching
 * choices.
 */
async function askPick(
  page: PlainPage,
  { message, choices, defaultValue, allowsOther }: PickPrompt,
): Promise<string> {
  const enter = defaultValue === undefined ? '' : ` (Enter: ${defaultValue})`;
  await page.print(`${message}:`);
  let shown = choices;
  for (;;) {
    for (const choice of shown.slice(0, MAX_LISTED))
      await page.print(numberedChoice(choices.indexOf(choice), choice));
    if (shown.length > MAX_LISTED) await page.print(`  and ${shown.length - MAX_LISTED} more`);
    const answer = await page.read(`number or name; a part of a name searches the list${enter}:`);
    const chosen = answer === '' ? defaultValue : choiceOf(choices, answer)?.value;
    if (chosen !== undefined) return chosen;
    const found = answer === '' ? [] : filterChoices(choices, answer);
    if (found.length === 0 && answer !== '' && allowsOther) return answer;
    if (found.length === 0) await page.print(`  '${answer}' is not one of the choices`);
    shown = found.length === 0 ? choices : found;
  }
}

/** Lists all choices once, and then prompts for all answers on one line. */
async function askMultiSelect(
  page: PlainPage,
  question: MultiSelectPrompt,
): Promise<readonly string[]> {
  const { message, choices, defaultValues, emptyMeaning, validateOther } = question;
  await page.print(`${message}:`);
  for (const [group, members] of Map.groupBy(choices, (choice) => choice.group ?? '')) {
    await page.print(`  ${group}`);
    for (const choice of members) await page.print(numberedChoice(choices.indexOf(choice), choice));
  }
  const parse = (answer: string): readonly string[] =>
    answer.split(/\s*,\s*/).flatMap((part) => {
      const members = choices.filter(({ group }) => group === part).map(({ value }) => value);
      return members.length > 0 ? members : (choiceOf(choices, part)?.value ?? part);
    });
  const answer = await askText(page, {
    message: 'numbers, names, or groups, separated by commas',
    defaultValue: defaultValues.join(', '),
    emptyMeaning,
    validate: (text) => {
      const others = parse(text).filter((name) => !choices.some(({ value }) => value === name));
      return others.flatMap((name) => validateOther(name)?.replace(/^/, `'${name}': `) ?? [])[0];
    },
  });
  return answer === '' ? [] : [...new Set(parse(answer))];
}

function choiceOf(choices: readonly Choice[], text: string): Choice | undefined {
  const byNumber = /^\d{1,4}$/.test(text) ? choices[Number(text) - 1] : undefined;
  return byNumber ?? choices.find(({ value }) => value === text);
}

function numberedChoice(index: number, { value, label = value, description }: Choice): string {
  return `  ${index + 1}. ${label}${description ? `: ${description}` : ''}`;
}

/** Reads lines from a terminal. Keeps lines that were typed ahead for the next prompt. */
function createPlainInput(input: NodeJS.ReadableStream, signal: AbortSignal) {
  const typed: string[] = [];
  const readLine = (isSecret: boolean) =>
    new Promise<string>((resolve, reject) => {
      const settle = () => {
        const line = typed.shift();
        if (line !== undefined) resolve(line);
        else reject(signal.aborted ? signal.reason : createInterruptedError());
      };
      if (typed.length > 0 || signal.aborted) return settle();
      // The terminal itself echoes and edits a line. For a secret, readline edits it without echo.
      const reader = createInterface({
        input,
        output: SILENT,
        terminal: isSecret,
        historySize: 0,
        signal,
      });
      reader.on('SIGTSTP', () => suspendJob(input));
      reader.on('line', (line) => {
        typed.push(line);
        reader.close();
      });
      // Ctrl-C, Ctrl-D, and the end of the input close it too.
      reader.once('close', settle);
    });
  return { line: () => readLine(false), secret: () => readLine(true) };
}

const SILENT = new Writable({ write: (_, __, done) => done() });
