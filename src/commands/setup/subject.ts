import { commandText, commandWithData } from '../../catalog/command-text.ts';
import type { Operation } from '../../catalog/define.ts';
import type { Flag } from '../../catalog/flags.ts';
import { loadOperation, type OperationName } from '../../catalog/index.ts';
import { entryNamed, type OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { valueAt } from '../../kernel/field-path.ts';
import { safeText } from '../../kernel/safe-text.ts';
import { shellWord } from '../../kernel/shell-word.ts';
import { inputData, optionKey } from '../call/input-data.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { programOf } from '../hinted-command.ts';
import { canAsk } from '../terminal/terminal.ts';
import { type Data, withValue } from './data.ts';

/** The operation that a dialogue leads to. */
export interface Subject {
  readonly entry: OperationEntry;
  readonly operation: Operation;
}

export async function subjectOf(wanted: OperationName): Promise<Subject> {
  const entry = entryNamed(wanted);
  return { entry, operation: await loadOperation(entry.resource, entry.name) };
}

/**
 * What the flags say already.
 * @throws SvcError `usage` where nobody can be asked for the rest, naming the command that needs nobody
 */
export async function givenData(context: Context, { entry }: Subject, invocation: Invocation): Promise<Data> {
  if (canAsk(context)) {
    refuseStdin(entry, invocation);
    return (await inputData(context, entry, invocation)).data;
  }
  const { data } = await inputData(context, entry, withoutSecrets(entry, invocation));
  const [example] = entry.examples;
  const given = withSecrets(entry, data, invocation);
  const command =
    Object.keys(given).length === 0
      ? (example?.command ?? '').replace(/^svc/, programOf(context.options))
      : commandOf(context, entry, { ...missingUrl(entry, data), ...given }, invocation);
  throw new SvcError('usage', 'this command asks questions, and nobody can be asked here', {
    hint: `without questions: ${command}`,
  });
}

/** The answers come from stdin, so no secret can. */
function refuseStdin({ flags }: OperationEntry, { options }: Invocation): void {
  const flag = flags.filter(isSecret).find(({ name }) => options[stdinOption(name)]);
  if (!flag) return;
  throw new SvcError('usage', `--${flag.name}-stdin: stdin is a terminal`, {
    hint: 'without the flag it is asked for',
  });
}

function withoutSecrets({ flags }: OperationEntry, invocation: Invocation): Invocation {
  const secrets = flags.filter(isSecret).flatMap(({ name }) => [fileOption(name), stdinOption(name)]);
  const options = Object.entries(invocation.options).filter(([name]) => !secrets.includes(name));
  return { ...invocation, options: Object.fromEntries(options) };
}

/** The secrets that flags name are there, unread. */
function withSecrets({ flags }: OperationEntry, data: Data, { options }: Invocation): Data {
  const named = flags.filter(isSecret).filter(({ name }) => options[fileOption(name)] || options[stdinOption(name)]);
  return named.reduce((all, { path }) => withValue(all, path, ''), data);
}

function isSecret({ kind }: Flag): boolean {
  return kind === 'secret';
}

function fileOption(name: string): string {
  return optionKey(`${name}-file`);
}

function stdinOption(name: string): string {
  return optionKey(`${name}-stdin`);
}

function missingUrl({ flags }: OperationEntry, data: Data): Data {
  const isMissing = data['url'] === undefined && flags.some(({ name, required }) => name === 'url' && required);
  return isMissing ? { url: SAMPLE_URL } : {};
}

/** Stands for a URL that was not given. */
export const SAMPLE_URL = 'https://example.com/hook';

/**
 * The command that does the same without questions, ready for a shell. What flags can't say goes as `--data`; a secret
 * is read from the file that was named, or else from stdin.
 */
export function commandOf(context: Context, entry: OperationEntry, data: Data, { options }: Invocation): string {
  const program = programOf(context.options);
  const secrets = entry.flags.filter((flag) => isSecret(flag) && valueAt(data, flag.path) !== undefined);
  const open = secrets.reduce((all, { path }) => withValue(all, path, undefined), data);
  const words = secrets.flatMap(({ name }) => {
    const file = options[fileOption(name)];
    return typeof file === 'string' ? [`--${name}-file`, shellWord(file)] : [`--${name}-stdin`];
  });
  const line = commandText(entry, open, program);
  const isSayable = safeText(line) === line && hasPlainKeys(entry, open);
  return [isSayable ? line : commandWithData(entry.command, open, program), ...words].join(' ');
}

/** Flags write the fields of a map as key=value. */
function hasPlainKeys({ flags }: OperationEntry, data: Data): boolean {
  const maps = flags.filter(({ kind }) => kind === 'map' || kind === 'switches');
  return maps.flatMap(({ path }) => Object.keys(Object(valueAt(data, path)))).every((key) => /^[^=]+$/.test(key));
}
