import type { Operation } from '../../catalog/define.ts';
import type { Flag } from '../../catalog/flags.ts';
import { SvcError } from '../../kernel/errors.ts';
import { valueAt } from '../../kernel/field-path.ts';
import { readNamedFile } from '../../kernel/named-file.ts';
import { parseSecret } from '../../profiles/credential-value.ts';
import { parsePublicKey } from '../../webhooks/keys.ts';
import type { Context } from '../context.ts';
import { EMPTY_ANSWER } from '../prompter.ts';
import { type Data, findFieldProblem } from './data.ts';
import { eventChoices } from './event-choices.ts';

interface ConfigField {
  readonly flag: Flag;
  readonly message: string;
  /** Configuration including the answers so far. */
  readonly current: Data;
  /** Known event types, for triggers. */
  readonly events: readonly string[];
}

/** Prompts for a setting. `undefined` leaves the setting unchanged. An unset setting stays unset if the answer is empty or no. */
export async function askForField(context: Context, operation: Operation, field: ConfigField): Promise<unknown> {
  const answer = await promptForField(context, operation, field);
  const isUnset = valueAt(field.current, field.flag.path) === undefined;
  return isUnset && (answer === '' || answer === false) ? undefined : answer;
}

async function promptForField(context: Context, operation: Operation, field: ConfigField): Promise<unknown> {
  const { flag, message, current } = field;
  const now = valueAt(current, flag.path);
  const prompter = await context.prompter();
  switch (flag.kind) {
    case 'boolean':
      return prompter.confirm(message, now === true);
    case 'secret':
      return askForSecret(context, message, now);
    case 'switches':
      return askForTriggers(context, field, Object(now));
    default:
      if (flag.path.at(-1) === 'publicKey') return askForKey(context, field);
      if (flag.choices) return askForChoice(context, field, flag.choices);
      return prompter.text({
        message,
        defaultValue: currentText(field),
        emptyMeaning: 'none',
        validate: (answer) => findFieldProblem(operation, flag.path, answer),
      });
  }
}

/** Returns a setting's current value, if it is text. */
function currentText({ flag, current }: ConfigField): string | undefined {
  const value = valueAt(current, flag.path);
  return typeof value === 'string' ? value : undefined;
}

async function askForChoice(context: Context, field: ConfigField, choices: readonly string[]) {
  const preset = currentText(field) ?? choices[0] ?? '';
  const prompter = await context.prompter();
  return prompter.select({
    message: field.message,
    choices: [...new Set([...choices, preset])].map((value) => ({ value })),
    defaultValue: preset,
  });
}

/** Prompts for a secret. Enter alone keeps the current one, because the input is hidden and mistakes go unnoticed. */
async function askForSecret(context: Context, message: string, now: unknown): Promise<string | undefined> {
  const prompter = await context.prompter();
  const isSet = typeof now === 'string' && now !== '';
  const instructions = isSet ? `Enter to keep, ${EMPTY_ANSWER} to remove` : 'Enter for none';
  for (;;) {
    const typed = await prompter.secret(`${message} (${instructions})`);
    if (typed === '') return undefined;
    if (typed === EMPTY_ANSWER && isSet) return '';
    const secret = await readOrExplain(context, async () => parseSecret(typed, 'that'));
    if (secret !== undefined) return secret;
  }
}

/** Prompts for the public key if encryption is enabled. The key is sent as the bare base64 of its file. */
async function askForKey(context: Context, field: ConfigField): Promise<string | undefined> {
  const { flag, message, current } = field;
  if (valueAt(current, flag.path.with(-1, 'encryptData')) !== true) return undefined;
  const prompter = await context.prompter();
  const preset = currentText(field);
  for (;;) {
    const answer = await prompter.text({ message, defaultValue: preset, emptyMeaning: 'none' });
    if (answer === '' || answer === preset) return answer;
    const key = await readOrExplain(context, () => readKey(context, answer));
    if (key !== undefined) return key;
  }
}

async function readKey({ cwd, signal }: Context, answer: string): Promise<string> {
  const text = await readNamedFile(answer, cwd, { signal }).then(String, () => answer);
  parsePublicKey(text);
  return text.replaceAll(/-----[^-]*-----|\s/g, '');
}

/** Reads a value, or prints why it is invalid and returns `undefined`. */
async function readOrExplain(context: Context, read: () => Promise<string>): Promise<string | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    await context.note(`  ${error.message}`);
    return undefined;
  }
}

/** Prompts for the enabled triggers. Triggers that were never set and stay off are omitted. */
async function askForTriggers(context: Context, { message, events }: ConfigField, now: Data) {
  const prompter = await context.prompter();
  const stored = Object.keys(now);
  const names = [...new Set([...events, ...stored])];
  const chosen = await prompter.multiSelect({
    message,
    choices: eventChoices(names),
    defaultValues: names.filter((name) => now[name] === true),
    emptyMeaning: 'no events',
    validateOther: (name) => (/^[\w.-]+$/.test(name) ? undefined : 'only letters, digits, ., _ and - are allowed'),
  });
  const all = new Set([...stored, ...chosen]);
  return Object.fromEntries([...all].map((name) => [name, chosen.includes(name)]));
}
