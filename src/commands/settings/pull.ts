import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { createLocalFileError } from '../../kernel/files.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { formatNounCount, joinAndCount } from '../../kernel/plural.ts';
import { replaceFile } from '../../kernel/staged-file.ts';
import { parseOrganization } from '../../profiles/profile.ts';
import { findOwningStack } from '../../settings/file/identity.ts';
import { listEnvironments } from '../../settings/file/load-settings.ts';
import type { ReadFile } from '../../settings/file/read-files.ts';
import { readSettings, type SettingsContent } from '../../settings/file/read-settings.ts';
import { readLive } from '../../settings/live/read-live.ts';
import { findUnknownFields } from '../../settings/live/unknown-fields.ts';
import { createSettings, SCHEMA_FILE } from '../../settings/pull/create-settings.ts';
import { editSettings, type SettingsEdit } from '../../settings/pull/edit-settings.ts';
import {
  findUnreadable,
  queryPulled,
  type Unreadable,
  wasRead,
} from '../../settings/pull/pulled-query.ts';
import {
  findUndeclarableIds,
  type PulledRecord,
  toPulledConfigs,
  toPulledRecords,
} from '../../settings/pull/pulled-records.ts';
import type { Declared } from '../../settings/settings.ts';
import { describeUnchosen } from '../connection/find-target.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { withSpinner } from '../terminal/spinner.ts';
import type { PullFlags } from './flags.ts';
import { withPrintedProblems } from './load-settings-file.ts';
import { fileWords } from './next-commands.ts';
import { chooseEnvironment, withEnvironment } from './open-environment.ts';
import { DEFAULT_FILE } from './read-input.ts';

interface PullResult extends Omit<SettingsEdit, 'texts' | 'notes'> {
  readonly file: string;
  readonly result: 'created' | 'updated' | 'unchanged';
  readonly variables: readonly string[];
  readonly remaining: readonly string[];
}

interface Pulled {
  readonly result: PullResult;
  readonly unreadable: readonly Unreadable[];
}

/**
 * Writes the live settings to a new file, or changes an existing file where it differs.
 * @throws SvcError `invalid_input` if the file is invalid or cannot be edited safely; nothing is written
 * then
 */
export async function pullSettings(
  context: Context,
  { arguments: [argument], options }: Invocation<PullFlags>,
) {
  const file = argument ?? options.file ?? DEFAULT_FILE;
  if (options.file !== undefined && file !== options.file)
    throw new SvcError('usage', `--file names ${options.file}, and the argument names ${file}`);
  for (const org of options.org ?? []) parseOrganization(org, '--org');
  const found = await readExisting(context, file, options.env);
  const environments = listEnvironments(found?.fields.environments);
  const env = options.env ?? (await chooseEnvironment(context, file, environments));
  const content = env === options.env ? found : await readExisting(context, file, env);
  const environment = environments.find(({ name }) => name === env);
  if (env === undefined && environments.length > 0)
    await context.note(
      describeUnchosen(
        file,
        environments.map(({ name }) => name),
      ),
    );
  await withEnvironment(context, { ...environment, environments, file }, async (opened) => {
    const { result, unreadable } = await pull(opened, file, content, { ...options, env });
    await report(opened, result, unreadable, env);
    // As text, the messages say all of it.
    await (await opened.printer()).value(result, { renderText: () => '' });
    const denied = unreadable.filter(({ isMissing }) => !isMissing);
    const [first] = denied;
    if (!first) return;
    const { failure, structuredHint } = first.problem;
    const advice =
      (failure === 'failed_precondition' && structuredHint) ||
      hint`to check the credential, run ${step('show', 'whoami', '--check')}`;
    throw new SvcError('records_failed', denied.map(({ text }) => text).join('; '), {
      hint: hint`the rest was pulled; ${advice}`,
    });
  });
}

async function readExisting(context: Context, file: string, environment: string | undefined) {
  const { io, cwd, signal } = context;
  const stats = await stat(resolve(cwd, file)).catch(() => undefined);
  if (stats && !stats.isFile() && !stats.isDirectory()) {
    throw new SvcError('local', `cannot edit ${file}: it is not a regular file`, {
      hint: 'name a file or a folder of YAML files',
    });
  }
  if (stats) {
    const request = { file, environment, cwd, stdin: io.stdin, signal };
    return withPrintedProblems(context, file, () => readSettings(request));
  }
  if (environment === undefined) return undefined;
  throw new SvcError('usage', `${file} does not exist, so it has no environment '${environment}'`);
}

async function pull(
  context: Context,
  file: string,
  content: SettingsContent | undefined,
  { env, org = [], only, all = false }: PullFlags,
): Promise<Pulled> {
  const declared = (content?.fields ?? {}) as Declared;
  const { kinds, query } = queryPulled(declared, { orgs: org, only });
  const client = await context.client();
  const live = await withSpinner(context, `pull: reading settings for ${file}`, () =>
    readLive(client, query),
  );
  const configs = toPulledConfigs(live);
  const records = new Map([...toPulledRecords(live)].filter(([kind]) => kinds.has(kind)));
  for (const id of findUndeclarableIds(live))
    await context.warn(`left out ${quoteId(id)}: a settings file does not accept this ID`);
  const unknown = findUnknownFields(live).map(quoteId);
  if (unknown.length > 0)
    await context.note(
      `left out fields that a settings file does not have: ${joinAndCount(unknown, MAX_UNKNOWN)}`,
    );
  const endpoints = records.get('endpoints') ?? [];
  const own =
    all || !content ? endpoints : endpoints.filter(createOwnershipCheck(content, declared));
  if (records.has('endpoints')) records.set('endpoints', own);
  const foreign = endpoints.length - own.length;
  if (foreign > 0)
    await context.note(
      `left out ${formatNounCount(foreign, 'endpoint')} that the stack does not own; to pull them too, add --all`,
    );
  const newConfigs = content?.fields.config ? [] : [...configs.values()];
  const unreadable = findUnreadable(live);
  const found = {
    file,
    variables: newConfigs.flatMap(({ secretVariable }) => secretVariable ?? []),
    remaining: unreadable.map(({ text }) => text),
  };
  if (!content) {
    const text = createSettings(await nameStack(context), { configs, records });
    await replaceFile(resolve(context.cwd, file), text, { mode: NEW_FILE_MODE });
    const added = configs.size + [...records.values()].reduce((sum, list) => sum + list.length, 0);
    const counts = { changed: 0, added, removed: 0, affected: [] };
    return { result: { ...found, ...counts, result: 'created' }, unreadable };
  }
  const { texts, notes, ...counts } = await editSettings({
    content,
    environment: env,
    configs,
    records,
    wasRead: (kind, record) => wasRead(live, kind, record),
    signal: context.signal,
  });
  for (const [edited, text] of texts) await writeEdited(edited, text);
  const result = {
    ...found,
    ...counts,
    remaining: [...found.remaining, ...notes],
    result: texts.size > 0 ? ('updated' as const) : ('unchanged' as const),
  };
  return { result, unreadable };
}

/** Returns whether an endpoint belongs to the stack of a file, or is declared in it. */
function createOwnershipCheck(
  { fields: { stack } }: SettingsContent,
  { endpoints = [] }: Declared,
) {
  const declared = new Set(endpoints.flatMap(({ uid, id }) => [uid, id]));
  declared.delete(undefined);
  return ({ fields: { uid, id } }: PulledRecord): boolean =>
    declared.has(uid) ||
    declared.has(id) ||
    (stack !== undefined && findOwningStack(uid) === stack);
}

/** Maximum number of unknown fields in a message. */
const MAX_UNKNOWN = 12;

/** Permissions of a new file, which contains no secrets. */
const NEW_FILE_MODE = 0o644;

async function nameStack(context: Context): Promise<string | undefined> {
  const { profile } = await context.target();
  return profile?.value.replace(/[^A-Za-z0-9_-]+/g, '-');
}

/**
 * Replaces a file with its edited text.
 * @throws SvcError `usage` if the file is not UTF-8 text, `local` if it changed after it was read
 */
async function writeEdited({ name, text: before, file }: ReadFile, text: string): Promise<void> {
  if (!file) throw new SvcError('usage', `${name} cannot be edited`);
  try {
    const path = await realpath(file.path);
    const bytes = await readFile(path);
    const mark = bytes.subarray(0, MARK.length).equals(MARK) ? MARK.toString() : '';
    if (!bytes.equals(Buffer.from(mark + before))) {
      throw new SvcError('local', `${name} changed while svc was running, or is not UTF-8 text`, {
        hint: 'nothing was written; save the file as UTF-8 text and run the command again',
      });
    }
    await replaceFile(path, mark + text, { mode: NEW_FILE_MODE });
  } catch (error) {
    throw createLocalFileError('write', name, error);
  }
}

/** Byte order mark of UTF-8. */
const MARK = Buffer.from('\ufeff');

async function report(
  context: Context,
  { file, result, variables, remaining, ...counts }: PullResult,
  unreadable: readonly Unreadable[],
  env: string | undefined,
): Promise<void> {
  // The error names those that were denied.
  for (const { text, isMissing } of unreadable) if (isMissing) await context.note(text);
  const notes = remaining.filter((note) => unreadable.every(({ text }) => text !== note));
  for (const note of notes) await context.warn(note);
  if (counts.affected.length > 0)
    await context.warn(`${file}: changes also apply to ${counts.affected.join(', ')}`);
  const { changed, added, removed } = counts;
  const schemaFile = join(dirname(file), SCHEMA_FILE);
  if (result === 'unchanged') await context.note(`${file} is unchanged`);
  else if (result === 'created') {
    await context.note(`Created ${file} with ${formatNounCount(added, 'record')}`);
    if (!(await stat(resolve(context.cwd, schemaFile)).catch(() => undefined)))
      await context.note(
        hint`to check the file in an editor, run ${step('inspect', 'schema', 'settings', '--out', schemaFile)}`,
      );
  } else {
    const values = formatNounCount(changed, 'value');
    await context.note(
      `Updated ${file}: ${values} changed, ${formatNounCount(added, 'record')} added, ${removed} removed`,
    );
  }
  if (variables.length === 0) return;
  const words = fileWords({ file: file === DEFAULT_FILE ? undefined : file, env });
  await context.note(
    hint`secrets are never pulled: set ${variables.join(', ')} before ${step('show', 'plan', ...words)}`,
  );
}
