import { safeText } from '../../kernel/safe-text.ts';
import {
  type Asker,
  type AskerDependencies,
  answerOf,
  type Choice,
  type ManyQuestion,
  NO_ANSWER,
  type OneQuestion,
  problemOf,
  type TextQuestion,
  toggle,
  valuesOf,
} from '../asker.ts';
import { createPlainInput } from './plain-input.ts';

/**
 * Questions as lines that are read once and stay as they are: choices are numbered, and answered by number, name, or a
 * part of a name that looks them up. The terminal itself shows and edits what is typed.
 */
export function createPlainAsker({ io, signal }: AskerDependencies): Asker {
  const input = createPlainInput(io.stdin.stream, signal);
  const write = (text: string) => io.stderr.write(text);
  const answerTo = async (prompt: string, read: () => Promise<string>) => {
    await write(`${safeText(prompt)} `);
    try {
      return (await read()).trim();
    } catch (error) {
      // What is said of the end stands on a line of its own.
      await write('\n');
      throw error;
    }
  };
  const page: Page = {
    say: (line) => write(`${safeText(line)}\n`),
    read: (prompt) => answerTo(prompt, input.line),
  };
  return {
    text: (question) => askText(page, question),
    secret: async (message) => {
      const secret = await answerTo(`${message} (not shown):`, input.secret);
      await write('\n');
      return secret;
    },
    yes: (message, preset) => askYes(page, message, preset),
    one: (question) => askOne(page, question),
    many: (question) => askMany(page, question),
  };
}

interface Page {
  say(line: string): Promise<void>;
  read(prompt: string): Promise<string>;
}

async function askText(page: Page, question: TextQuestion): Promise<string> {
  const { message, preset, otherwise } = question;
  const none = preset && otherwise !== undefined ? `; ${NO_ANSWER}: ${otherwise}` : '';
  const meaning = preset || otherwise;
  for (;;) {
    const answer = answerOf(question, await page.read(`${message}${meaning ? ` (Enter: ${meaning}${none})` : ''}:`));
    const problem = problemOf(question, answer);
    if (problem === undefined) return answer;
    await page.say(`  ${problem}`);
  }
}

async function askYes(page: Page, message: string, preset: boolean): Promise<boolean> {
  for (;;) {
    const answer = (await page.read(`${message} (y or n; Enter: ${preset ? 'yes' : 'no'}):`)).toLowerCase();
    if (answer === '') return preset;
    if (['y', 'yes'].includes(answer)) return true;
    if (['n', 'no'].includes(answer)) return false;
    await page.say('  answer y or n');
  }
}

async function askOne(page: Page, { message, choices, preset }: OneQuestion): Promise<string> {
  await page.say(`${message}:`);
  for (const [index, choice] of choices.entries()) await page.say(numbered(index, choice));
  for (;;) {
    const answer = await page.read(`number or name (Enter: ${preset}):`);
    const chosen = answer === '' ? preset : choiceOf(choices, answer)?.value;
    if (chosen !== undefined) return chosen;
    await page.say(`  there is no '${answer}'`);
  }
}

async function askMany(page: Page, question: ManyQuestion): Promise<readonly string[]> {
  const { message, choices, preset, none } = question;
  const chosen = new Set(preset);
  await page.say(`${message}:`);
  await list(page, choices, chosen);
  await page.say('  numbers, names or groups with commas between; a part of a name looks it up');
  for (;;) {
    const already = chosen.size === 0 ? none : `the ${chosen.size} chosen`;
    const answer = await page.read(`choose, or take back (Enter: ${already}):`);
    if (answer === '') return [...chosen];
    for (const part of answer.split(',').map((text) => text.trim())) {
      if (part !== '') await takePart(page, question, { chosen, part });
    }
    await page.say(`  chosen: ${[...chosen].join(', ') || none}`);
  }
}

interface Part {
  readonly chosen: Set<string>;
  readonly part: string;
}

/** One part of an answer: it chooses, or it shows what it could have meant. */
async function takePart(page: Page, { choices, checkOther }: ManyQuestion, { chosen, part }: Part): Promise<void> {
  const choice = choiceOf(choices, part);
  if (choice) return toggle(chosen, [choice.value]);
  const group = valuesOf(choices, part);
  if (group.length > 0) return toggle(chosen, group);
  if (chosen.has(part)) return toggle(chosen, [part]);
  const found = choices.filter(({ value, describes = '' }) => `${value} ${describes}`.includes(part));
  if (found.length > 0) {
    await page.say(`  with '${part}':`);
    return list(page, choices, chosen, found);
  }
  const problem = checkOther(part);
  if (problem !== undefined) return page.say(`  '${part}': ${problem}`);
  toggle(chosen, [part]);
}

function choiceOf(choices: readonly Choice[], text: string): Choice | undefined {
  const byNumber = /^\d{1,4}$/.test(text) ? choices[Number(text) - 1] : undefined;
  return byNumber ?? choices.find(({ value }) => value === text);
}

async function list(
  { say }: Page,
  choices: readonly Choice[],
  chosen: ReadonlySet<string>,
  shown = choices,
): Promise<void> {
  let group: string | undefined;
  for (const choice of shown) {
    if (choice.group !== group) await say(`  ${choice.group}`);
    group = choice.group;
    await say(numbered(choices.indexOf(choice), choice) + (chosen.has(choice.value) ? ' (chosen)' : ''));
  }
}

function numbered(index: number, { value, describes }: Choice): string {
  return `  ${index + 1}. ${value}${describes ? `: ${describes}` : ''}`;
}
