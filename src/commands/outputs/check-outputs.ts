import { existsSync } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { JobFolder } from '../../bulk/journal/job-folder.ts';
import { reasonsPathOf } from '../../bulk/rejects-file.ts';
import { SvcError } from '../../kernel/errors.ts';
import { identifyDescriptor, identifyFile, identifyOpenFile } from '../../kernel/file-identity.ts';
import { resolveLinks } from '../../kernel/files.ts';
import { hasTilde, resolveOutputPath, TILDE_HINT } from '../../kernel/named-file.ts';
import { isDescriptorPath } from '../../kernel/read-file.ts';
import { SETTING_VARIABLES } from '../../kernel/variables.ts';
import { readFolderFiles } from '../../profiles/folder-file.ts';
import type { ConnectedCommand } from '../context.ts';
import type { OutputUse } from '../options.ts';
import { wasMadeBySvc } from './made-by-svc.ts';

/** A file of a command, with the flag or setting that names it. */
export interface CommandFile {
  readonly name: string;
  /** Path as the user typed it. */
  readonly file: string;
}

export interface CommandOutput extends CommandFile {
  readonly use: OutputUse;
}

export interface CommandFiles {
  readonly inputs: readonly CommandFile[];
  readonly outputs: readonly CommandOutput[];
  /** Whether the command connects to a service with the certificate of its target. */
  readonly connects?: boolean;
  /** Whether outputs may replace any files but inputs. Undefined for a command without `--force`. */
  readonly force?: boolean;
}

/**
 * Checks the outputs of a command before it reads or sends anything. An output must not be an input
 * of the command or another output, by any name of the file. An existing file may be replaced only
 * if it is empty or svc wrote it for the same purpose.
 * @throws SvcError `usage`; `local` for a path that ends like that of a folder
 */
export async function checkOutputs(
  context: ConnectedCommand,
  { inputs, outputs, connects = false, force }: CommandFiles,
): Promise<void> {
  const { cwd, options } = context;
  for (const { name, file, use } of outputs) {
    // Resolving a path drops the last separator, so that a file would get the name of a folder.
    if (use !== 'folder' && use !== 'edited' && (file.endsWith('/') || file.endsWith(sep)))
      throw new SvcError('local', `${name}: ${file} is a folder`, {
        hint: 'nothing was sent; name a file in this folder',
      });
    if (hasTilde(file) && !existsSync(dirname(resolveOutputPath(file, cwd))))
      throw new SvcError('usage', `${name}: the folder of ${file} does not exist`, {
        hint: TILDE_HINT,
      });
  }
  const identify = async ({ name, file }: CommandFile) => ({
    name,
    file,
    identity: await identifyFile(resolveOutputPath(file, cwd)),
  });
  const written = await Promise.all(
    outputs
      .flatMap(withSecondFile)
      .map(async (output) => ({ ...(await identify(output)), isEdited: output.use === 'edited' })),
  );
  const given = await Promise.all(inputs.map(identify));
  const shared = await Promise.all((await sharedInputs(context, connects)).map(identify));
  const read = [...given, ...shared];
  read.push({ name: 'stdin', file: '-', identity: identifyDescriptor(0) });
  const streams = ['stdout', 'stderr'].map((name, at) => ({
    name,
    file: name,
    identity: identifyOpenFile(at + 1),
  }));
  for (const [at, output] of written.entries()) {
    // A file to edit can be named twice: as an argument and as a flag.
    const others = written.slice(0, at).filter(({ isEdited }) => !isEdited || !output.isEdited);
    // Output to `/dev/stdout`, or to a file that a workflow appends to, may share the file of stdout
    // or stderr.
    const isShared = output.isEdited || isDescriptorPath(output.file);
    requireDifferent(output, [...read, ...others, ...(isShared ? [] : streams)]);
  }
  for (const stream of streams) requireDifferent(stream, given);
  for (const output of outputs) await requireOutsideState(context, output);
  if (force || options.dryRun) return;
  const remedy = `${force === undefined ? 'move the file' : 'choose another file, or add --force to replace it'}`;
  for (const output of outputs) await requireReplaceable(output, cwd, remedy);
}

interface IdentifiedFile extends CommandFile {
  readonly identity: string | undefined;
}

function requireDifferent(output: IdentifiedFile, others: readonly IdentifiedFile[]): void {
  const other = others.find(({ identity }) => identity && identity === output.identity);
  if (!other) return;
  const name = output.file === output.name ? other.file : output.file;
  throw new SvcError('usage', `${output.name} and ${other.name} are the same file: ${name}`, {
    hint: 'nothing was sent; choose another file',
  });
}

/** Adds the reasons beside a rejects file. */
function withSecondFile(output: CommandOutput): readonly CommandOutput[] {
  const { name, file, use } = output;
  return use === 'rejects'
    ? [output, { name: `the reasons of ${name}`, file: reasonsPathOf(file), use }]
    : [output];
}

/** Files of a job that a command reads. */
export function jobFiles({ job, journal, beforeImages }: JobFolder): readonly CommandFile[] {
  const files = [journal, `${journal}-wal`, `${journal}-shm`, beforeImages];
  return files.map((file) => ({ name: `job ${job}`, file }));
}

/** Files that any command may read. */
async function sharedInputs(
  context: ConnectedCommand,
  connects: boolean,
): Promise<readonly CommandFile[]> {
  const { options, environment, folders, cwd } = context;
  // The command itself reports a target that cannot be resolved.
  const target = connects ? await context.target().catch(() => undefined) : undefined;
  const folderFiles = await readFolderFiles(cwd, environment).catch(() => undefined);
  const named: readonly (readonly [string, string | undefined])[] = [
    ['--ca-file', options.caFile],
    ['the client certificate', options.clientCert ?? target?.clientCert?.value],
    ['the client key', options.clientKey ?? target?.clientKey?.value],
    [SETTING_VARIABLES.clientCert, environment[SETTING_VARIABLES.clientCert]],
    [SETTING_VARIABLES.clientKey, environment[SETTING_VARIABLES.clientKey]],
    ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'].map((name) => [name, environment[name]] as const),
    ['the profiles', join(folders.config, 'profiles.json')],
    ['the secrets', join(folders.config, 'secrets.json')],
    ...(folderFiles?.paths ?? []).map((path) => ['.svc.json', path] as const),
    ...(await storeFiles(context)).map((path) => ['the store', path] as const),
  ];
  return named.flatMap(([name, file]) => (file ? [{ name, file }] : []));
}

/**
 * Returns the files of the default store and of the one in `--store`: its data, its request log, its
 * lock, and the files that SQLite puts beside them.
 */
async function storeFiles({
  options: { store },
  folders,
}: ConnectedCommand): Promise<readonly string[]> {
  const { locateRequestFile, parseStoreLocation } = await import('../../service/store/location.ts');
  const locations = [join(folders.data, 'service.sqlite'), ...(store === undefined ? [] : [store])];
  const filesOf = (location: string) => {
    try {
      const parsed = parseStoreLocation(location);
      const log = locateRequestFile(location, folders.data);
      if (parsed.kind === 'database') return [log];
      return [parsed.path, log, `${parsed.path}.serve`, `${parsed.path}.serve.owner`];
    } catch {
      return []; // the command reports an invalid location
    }
  };
  const suffixes = ['', '-wal', '-shm', '-journal'];
  return locations.flatMap(filesOf).flatMap((path) => suffixes.map((suffix) => path + suffix));
}

/** Returns the file with content that an output would replace, if there is one. */
async function findReplaced({ file, use }: CommandOutput, cwd: string) {
  if (use === 'edited' || use === 'rejects' || use === 'folder') return undefined;
  const path = resolveOutputPath(file, cwd);
  const stats = await stat(path).catch(() => undefined);
  const isKept = !stats?.isFile() || stats.size === 0 || isDescriptorPath(path);
  return isKept ? undefined : { path, use };
}

/**
 * Rejects an output that would replace a file in svc's own folders, also with `--force`: a journal, a
 * snapshot, or the history cannot be made again. An empty file there is a lock.
 */
async function requireOutsideState(
  { cwd, folders }: ConnectedCommand,
  { name, file, use }: CommandOutput,
): Promise<void> {
  const path = resolveOutputPath(file, cwd);
  const stats = await stat(path).catch(() => undefined);
  // A rejects file with records is never replaced.
  const isKept = use === 'edited' || use === 'folder' || (use === 'rejects' && stats?.size !== 0);
  if (isKept || !stats?.isFile() || isDescriptorPath(path)) return;
  const target = await resolveLinks(path);
  const { config, data, state } = folders;
  for (const folder of [config, data, state]) {
    const isInside = target.startsWith(join(await resolveLinks(folder), sep));
    if (isInside && (use === 'rejects' || !(await wasMadeBySvc(path, use))))
      throw new SvcError('usage', `${name}: ${file} is a file that svc keeps for itself`, {
        hint: 'nothing was sent; choose another file',
      });
  }
}

async function requireReplaceable(
  output: CommandOutput,
  cwd: string,
  remedy: string,
): Promise<void> {
  const { name, file } = output;
  if (output.use === 'folder') return requireNewFolder(name, resolveOutputPath(file, cwd), file);
  const replaced = await findReplaced(output, cwd);
  if (!replaced || (await wasMadeBySvc(replaced.path, replaced.use))) return;
  const purpose = PURPOSES[replaced.use];
  throw new SvcError('usage', `${name}: ${file} already exists and is not ${purpose}`, {
    hint: `nothing was sent; ${remedy}`,
  });
}

/** @throws SvcError `usage` if anything is there, also a link without a target */
async function requireNewFolder(name: string, path: string, file: string): Promise<void> {
  if (await lstat(path).catch(() => undefined)) throw createExistingFolderError(name, file);
}

export function createExistingFolderError(name: string, folder: string): SvcError {
  return new SvcError('usage', `${name}: ${folder} already exists`, {
    hint: 'nothing was sent; choose a new folder',
  });
}

const PURPOSES: Readonly<Record<Exclude<OutputUse, 'edited' | 'rejects' | 'folder'>, string>> = {
  plan: 'a plan by svc',
  results: 'a results file by svc',
  report: 'a report by svc',
  schema: 'a schema by svc',
  export: 'an unchanged export by svc',
  har: 'an HTTP archive by svc',
  approval: 'an approval by svc',
  token: 'empty',
};
