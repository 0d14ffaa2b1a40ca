import { styleText } from 'node:util';
import { confirm, input, password, Separator, search, select } from '@inquirer/prompts';
import { safeText } from '../../kernel/safe-text.ts';
import { wrapWords } from '../../output/wrap.ts';
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
import { interrupted } from './interrupted.ts';

/** Prompts that redraw their lines. They talk on stderr, so that stdout carries the result alone. */
export function createPromptAsker(context: AskerDependencies): Asker {
  return {
    text: (question) => askText(context, question),
    secret: (message) => answered(context, (streams) => password({ message: inLines(context, message) }, streams)),
    yes: (message, preset) =>
      answered(context, (streams) => confirm({ message: inLines(context, message), default: preset }, streams)),
    one: (question) => askOne(context, question),
    many: (question) => askMany(context, question),
  };
}

/** Columns beside a question: the sign before it, and what may be answered behind it. */
const BESIDE = 10;

/** A question broken between words: the prompts break lines wherever a terminal ends. */
function inLines({ io }: AskerDependencies, message: string): string {
  const room = Math.max((io.stderr.columns || 80) - BESIDE, BESIDE);
  return wrapWords(safeText(message), room, (text) => text.length).join('\n');
}

/** An answer that would be refused is red while it is typed; why is said at Enter. */
function askText(context: AskerDependencies, question: TextQuestion): Promise<string> {
  const { message, preset, otherwise, check } = question;
  const none = otherwise ? styleText('dim', ` (${preset ? NO_ANSWER : 'Enter'}: ${safeText(otherwise)})`) : '';
  const prompt = {
    message: inLines(context, message),
    default: preset ?? '',
    validate: (typed: string) => safeText(problemOf(question, answerOf(question, typed)) ?? '') || true,
    transformer: (typed: string, { isFinal }: { isFinal: boolean }) => {
      if (isFinal) return styleText('cyan', safeText(answerOf(question, typed) || (otherwise ?? '')));
      const shown = safeText(typed);
      return typed.trim() !== '' && check?.(typed.trim()) !== undefined ? styleText('red', shown) : shown;
    },
    theme: {
      style: {
        defaultAnswer: (text: string) => styleText('dim', `(${safeText(text)})`),
        message: (text: string, status: string) => styleText('bold', text) + (status === 'done' ? '' : none),
      },
    },
  };
  return answered(context, async (streams) => answerOf(question, await input(prompt, streams)));
}

function askOne(context: AskerDependencies, { message, choices, preset }: OneQuestion): Promise<string> {
  const listed = choices.map(({ value, describes }) => ({
    value,
    name: safeText(value),
    ...(describes && { description: safeText(describes) }),
  }));
  return answered(context, (streams) =>
    select({ message: inLines(context, message), choices: listed, default: preset }, streams),
  );
}

/** The row that ends the choosing. */
const END = 'end';

const PAGE_SIZE = 12;

/** A list that is searched by typing. Each Enter turns a row on or off, and the list comes again, until its end is chosen. */
async function askMany(context: AskerDependencies, question: ManyQuestion): Promise<readonly string[]> {
  const { message, none } = question;
  const chosen = new Set(question.preset);
  let [at, typed] = ['', ''];
  const source = (term = '') => {
    typed = term.trim();
    return rows(question, chosen, typed);
  };
  for (;;) {
    const picked: string = await answered(
      context,
      (streams) =>
        search<string>(
          {
            message: safeText(message),
            pageSize: PAGE_SIZE,
            source,
            default: at,
            theme: { style: { keysHelpTip } },
          },
          { ...streams, clearPromptOnDone: true },
        ),
      chooseBySpace,
    );
    if (picked === END) break;
    toggle(chosen, valuesOfRow(question, picked));
    // Who walks down the list goes on from there; who looked something up has it.
    at = typed === '' ? picked : END;
  }
  const said = chosen.size === 0 ? none : [...chosen].join(', ');
  const { stderr } = context.io;
  await stderr.write(
    `${styleText('green', '✔')} ${styleText('bold', safeText(message))} ${styleText('cyan', safeText(said))}\n`,
  );
  return [...chosen];
}

function keysHelpTip(): string {
  return styleText('dim', 'type to search • ↑↓ move • space or ⏎ choose');
}

/** The group of chosen values that are no choices. */
const OTHERS = 'others';
const GROUP_PREFIX = 'group ';
const VALUE_PREFIX = 'value ';

function valuesOfRow({ choices }: ManyQuestion, picked: string): readonly string[] {
  if (picked.startsWith(GROUP_PREFIX)) return valuesOf(choices, picked.slice(GROUP_PREFIX.length));
  return [picked.slice(VALUE_PREFIX.length)];
}

/** The rows that fit what was typed. The end stands first, unless something is being looked for. */
function rows(question: ManyQuestion, chosen: ReadonlySet<string>, term: string) {
  const { choices, none, checkOther } = question;
  const end = { value: END, name: chosen.size === 0 ? `Go on with ${none}` : `Go on with the ${chosen.size} chosen` };
  const listed = [...choices, ...[...chosen].filter(isOther(choices)).map((value) => ({ value, group: OTHERS }))];
  const found = listed.filter(({ value, describes = '' }: Choice) => `${value} ${describes}`.includes(term));
  const groups = [...Map.groupBy(found, ({ group = '' }) => group)].flatMap(([group, members]) => [
    ...(group === '' ? [] : [new Separator(`── ${safeText(group)} ──`)]),
    ...(term === '' && members.length > 1 && group !== '' && group !== OTHERS
      ? [groupRow(group, valuesOf(listed, group), chosen)]
      : []),
    ...members.map((choice) => valueRow(choice, chosen)),
  ]);
  if (term === '') return [end, ...groups];
  const isNew = !listed.some(({ value }) => value === term) && checkOther(term) === undefined;
  return [...groups, ...(isNew ? [valueRow({ value: term, describes: 'not a known one' }, chosen)] : []), end];
}

function isOther(choices: readonly Choice[]): (value: string) => boolean {
  return (value) => !choices.some((choice) => choice.value === value);
}

function groupRow(group: string, values: readonly string[], chosen: ReadonlySet<string>) {
  const isOn = values.every((value) => chosen.has(value));
  return { value: GROUP_PREFIX + group, name: `${box(isOn)} all of ${safeText(group)} (${values.length})` };
}

function valueRow({ value, describes }: Choice, chosen: ReadonlySet<string>) {
  const name = `${box(chosen.has(value))} ${safeText(value)}`;
  return { value: VALUE_PREFIX + value, name, ...(describes && { description: safeText(describes) }) };
}

function box(isOn: boolean): string {
  return isOn ? '[x]' : '[ ]';
}

type Streams = { readonly signal: AbortSignal } & Record<'input', NodeJS.ReadableStream> &
  Record<'output', NodeJS.WritableStream>;

/** A key as readline reads it from a terminal. */
interface Key {
  name?: string;
  ctrl?: boolean;
}

/** In a list that is searched a space looks for nothing, so it is Enter. Whoever listens later gets it as such. */
function chooseBySpace(key: Key): void {
  if (key.name === 'space') key.name = 'return';
}

/** The answer to a prompt. Ctrl-D ends it as Ctrl-C does: the prompts would leave it open for ever. */
async function answered<Value>(
  { io, signal }: AskerDependencies,
  prompt: (streams: Streams) => Promise<Value>,
  pressed?: (key: Key) => void,
): Promise<Value> {
  const left = new AbortController();
  const leave = (_: unknown, key: Key) => {
    if (key.ctrl && key.name === 'd') left.abort();
    pressed?.(key);
  };
  const input = io.stdin.stream.on('keypress', leave);
  try {
    return await prompt({ input, output: io.stderr.stream, signal: AbortSignal.any([signal, left.signal]) });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (left.signal.aborted || (error instanceof Error && error.name === 'ExitPromptError')) throw interrupted(error);
    throw error;
  } finally {
    input.off('keypress', leave);
  }
}
