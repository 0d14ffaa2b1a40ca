import { resolve } from 'node:path';
import { decodeSmallFile } from '../../bulk/source/input-text.ts';
import type { Flag } from '../../catalog/flags.ts';
import { SvcError } from '../../kernel/errors.ts';
import { valueAt } from '../../kernel/field-path.ts';
import { isObject } from '../../kernel/json.ts';
import { measureJson } from '../../kernel/json-nesting.ts';
import { readNamedFile, readStdin } from '../../kernel/named-file.ts';
import { groupDigits } from '../../kernel/plural.ts';
import { readUntilAborted } from '../../kernel/read-until-aborted.ts';
import { rememberSecret } from '../../kernel/redact.ts';
import { yieldToEvents } from '../../kernel/run-in-slices.ts';
import { readSecretFromFile, readSecretFromStream } from '../../profiles/secret-input.ts';
import type { Context } from '../context.ts';
import { parseJson } from './flag-values.ts';

/**
 * Reads the object in `--data`: JSON text, `@file`, or `-` for stdin. Removes a `{"data": {…}}`
 * wrapper.
 * @throws SvcError `invalid_input` for anything but a JSON object, `usage` for a missing file, `local`
 * for an unreadable file
 */
export async function readData(
  context: Context,
  argument: string,
): Promise<Record<string, unknown>> {
  const json = await readJson(context, argument);
  await yieldToEvents(context.signal);
  requireFewFields(json);
  if (!isObject(json)) throw new SvcError('invalid_input', '--data must be a JSON object');
  const { data, ...others } = json;
  return isObject(data) && Object.keys(others).length === 0 ? data : json;
}

/** Upper bounds on the bytes of `--data`, and on its brackets, commas, and colons. */
const [MAX_BYTES, MAX_TOKENS] = [16 * 1024 * 1024, 2_000_000];
/** The service accepts objects of 10,000 properties. Checking and printing more would take minutes. */
const MAX_FIELDS = 10_000;

function requireFewFields(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  if (!Array.isArray(value) && inner.length > MAX_FIELDS)
    throw new SvcError(
      'invalid_input',
      `--data contains an object with more than ${groupDigits(MAX_FIELDS)} fields`,
      { hint: 'write the records as a list of objects' },
    );
  for (const each of inner) requireFewFields(each);
}

/**
 * Rejects secrets in the JSON text of `--data`, because other processes can read arguments.
 * @throws SvcError `usage` that names the field, without its value
 */
export function rejectInlineSecrets(
  { inputNaming }: Pick<Context, 'inputNaming'>,
  flags: readonly Flag[],
  argument: string,
  data: unknown,
): void {
  if (inputNaming === 'fields' || argument === '-' || argument.startsWith('@')) return;
  for (const { kind, path } of flags) {
    const value = kind === 'secret' ? valueAt(data, path) : undefined;
    if (typeof value !== 'string' || value === '') continue;
    rememberSecret(value);
    throw new SvcError(
      'usage',
      `--data must not contain the secret ${path.join('.')}, because other processes can read arguments`,
      { hint: 'use --data @<path>, or --data - for stdin' },
    );
  }
}

/**
 * Reads any JSON value in `--data`.
 * @throws SvcError like `readData`, except for JSON that is not an object
 */
export async function readJson(context: Context, argument: string): Promise<unknown> {
  const { name, text } = await readArgument(context, argument);
  if (measureJson(text).tokens > MAX_TOKENS)
    throw new SvcError('invalid_input', `${name ?? '--data'}: more than 2 million values`, {
      hint: 'split it into several calls',
    });
  const hint = `quote it for the shell: --data '{"organizationId":"acme"}'`;
  // A shell removes all quotes of an unquoted text.
  const isUnquoted = name === undefined && !text.includes('"');
  return parseJson(name ?? '--data', text, {
    failure: 'invalid_input',
    ...(isUnquoted && { hint }),
  });
}

export interface ArgumentText {
  /** The file that contains the text, or `stdin`. Undefined for a text in the argument itself. */
  readonly name?: string;
  readonly text: string;
}

/**
 * Reads the text of an argument: the argument itself, `@file`, or `-` for stdin.
 * @throws SvcError `usage` for a missing file, `local` for an unreadable file, `invalid_input` for
 * bytes that are not text
 */
export async function readArgument(
  { io, cwd, signal }: Context,
  argument: string,
): Promise<ArgumentText> {
  if (argument !== '-' && !argument.startsWith('@')) return { text: argument };
  const name = argument === '-' ? 'stdin' : argument.slice(1);
  const bytes =
    argument === '-'
      ? await readStdin(io.stdin.stream, signal, MAX_BYTES)
      : await readNamedFile(name, cwd, { signal, maxBytes: MAX_BYTES });
  return { name, text: await decodeSmallFile(bytes, name) };
}

/**
 * Reads the secret of `--x-file` or `--x-stdin`.
 * @throws SvcError `usage` for both, and if stdin is a terminal
 */
export async function readSecretFlag(
  { io: { stdin }, cwd, signal }: Context,
  name: string,
  path: string | undefined,
  fromStdin = false,
): Promise<string | undefined> {
  if (!fromStdin)
    return path === undefined ? undefined : readSecretFromFile(resolve(cwd, path), signal);
  if (path !== undefined)
    throw new SvcError('usage', `--${name}-stdin and --${name}-file cannot be combined`);
  if (stdin.isTerminal)
    throw new SvcError('usage', `--${name}-stdin: stdin is a terminal`, {
      hint: 'pipe the secret in, or use a file',
    });
  return readSecretFromStream(readUntilAborted(stdin.stream, signal), `--${name}-stdin`);
}
