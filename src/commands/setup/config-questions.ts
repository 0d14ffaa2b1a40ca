import type { Operation } from '../../catalog/define.ts';
import type { Flag } from '../../catalog/flags.ts';
import { SvcError } from '../../kernel/errors.ts';
import { valueAt } from '../../kernel/field-path.ts';
import { readNamedFile } from '../../kernel/named-file.ts';
import { secretValue } from '../../profiles/credential-value.ts';
import { publicKeyOf } from '../../webhooks/keys.ts';
import { NO_ANSWER } from '../asker.ts';
import type { Context } from '../context.ts';
import type { Data } from './data.ts';
import { eventChoices } from './event-choices.ts';
import { fieldProblem } from './field-check.ts';

interface Field {
  readonly flag: Flag;
  readonly message: string;
  /** The configuration as it will be with what was answered so far. */
  readonly current: Data;
  /** The known events, for triggers. */
  readonly events: readonly string[];
}

/** The wanted value of a setting; `undefined` leaves it as it is. What was never set, and is not wanted, stays unset. */
export async function askForField(context: Context, operation: Operation, field: Field): Promise<unknown> {
  const answer = await answerFor(context, operation, field);
  const isUnset = valueAt(field.current, field.flag.path) === undefined;
  return isUnset && (answer === '' || answer === false) ? undefined : answer;
}

async function answerFor(context: Context, operation: Operation, field: Field): Promise<unknown> {
  const { flag, message, current } = field;
  const now = valueAt(current, flag.path);
  const asker = await context.asker();
  switch (flag.kind) {
    case 'boolean':
      return asker.yes(message, now === true);
    case 'secret':
      return askForSecret(context, message, now);
    case 'switches':
      return askForTriggers(context, field, Object(now));
    default:
      if (flag.path.at(-1) === 'publicKey') return askForKey(context, field);
      if (flag.choices) return askForOne(context, field, flag.choices);
      return asker.text({
        message,
        preset: textOf(now),
        otherwise: 'none',
        check: (answer) => fieldProblem(operation, flag.path, answer),
      });
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

async function askForOne(context: Context, { flag, message, current }: Field, choices: readonly string[]) {
  const preset = textOf(valueAt(current, flag.path)) ?? choices[0] ?? '';
  const asker = await context.asker();
  return asker.one({ message, choices: [...new Set([...choices, preset])].map((value) => ({ value })), preset });
}

/** Nobody sees what is typed, so nothing is taken for a new secret by mistake: Enter alone leaves it. */
async function askForSecret(context: Context, message: string, now: unknown): Promise<string | undefined> {
  const asker = await context.asker();
  const isSet = typeof now === 'string' && now !== '';
  const ways = isSet ? `Enter keeps it, ${NO_ANSWER} removes it` : 'Enter: none';
  for (;;) {
    const typed = await asker.secret(`${message} (${ways})`);
    if (typed === '') return undefined;
    if (typed === NO_ANSWER && isSet) return '';
    const secret = await orSayWhy(context, async () => secretValue(typed, 'that'));
    if (secret !== undefined) return secret;
  }
}

/** Asked only where what is delivered is encrypted. It is sent as the bare base64 of its file. */
async function askForKey(context: Context, { flag, message, current }: Field): Promise<string | undefined> {
  const [settings = ''] = flag.path;
  if (valueAt(current, [settings, 'encryptData']) !== true) return undefined;
  const asker = await context.asker();
  const preset = textOf(valueAt(current, flag.path));
  for (;;) {
    const answer = await asker.text({ message, preset, otherwise: 'none' });
    if (answer === '' || answer === preset) return answer;
    const key = await orSayWhy(context, () => readKey(context, answer));
    if (key !== undefined) return key;
  }
}

async function readKey({ cwd, signal }: Context, answer: string): Promise<string> {
  const text = await readNamedFile(answer, cwd, { signal }).then(String, () => answer);
  publicKeyOf(text);
  return text.replaceAll(/-----[^-]*-----|\s/g, '');
}

/** What was asked for, or a line that says why it is none. */
async function orSayWhy(context: Context, read: () => Promise<string>): Promise<string | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    await context.note(`  ${error.message}`);
    return undefined;
  }
}

/** Every trigger that there is, on or off; those that are off and were never set are left out. */
async function askForTriggers(context: Context, { message, events }: Field, now: Data) {
  const asker = await context.asker();
  const stored = Object.keys(now);
  const names = [...new Set([...events, ...stored])];
  const chosen = await asker.many({
    message,
    choices: eventChoices(names),
    preset: names.filter((name) => now[name] === true),
    none: 'no events',
    checkOther: (name) => (/^[\w.-]+$/.test(name) ? undefined : 'only letters, digits, ., _ and - are allowed'),
  });
  const all = new Set([...stored, ...chosen]);
  return Object.fromEntries([...all].map((name) => [name, chosen.includes(name)]));
}
