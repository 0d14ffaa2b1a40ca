import { randomUUID } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { hint, step, stepWithPlaceholder, systemErrorCode } from '../../kernel/errors.ts';
import { createLocalFileError } from '../../kernel/files.ts';
import { FOLDER_VARIABLES, type Folders } from '../../kernel/folders.ts';
import { nodeVersion, userId } from '../../kernel/process.ts';
import { quoteForShell } from '../../kernel/quote-for-shell.ts';
import { createNotConfiguredError, listMissingSettings } from '../../profiles/missing-settings.ts';
import { createSecretStorage } from '../../profiles/secrets.ts';
import type { TargetWithSecrets } from '../../profiles/target.ts';
import { findKeychainProblem, PROBE_CALLS } from '../../profiles/transaction.ts';
import {
  skippedChecksWarning,
  skipsCertificateChecks,
  TLS_CHECKS_VARIABLE,
} from '../connection/ca-file.ts';
import type { Context } from '../context.ts';
import { shouldUseColor } from '../terminal/terminal.ts';
import {
  type Check,
  type CheckResult,
  fail,
  info,
  ok,
  resultOfError,
  skipped,
  warn,
} from './check.ts';

export function createMachineChecks(context: Context): readonly Check[] {
  const { folders, options, targetWithSecrets } = context;
  const folderNames = ['config', 'state', 'data'] as const;
  const profileChecks: readonly Check[] = [
    { name: 'keychain', run: () => checkKeychain(context) },
    { name: 'profile', run: async () => checkProfile(await targetWithSecrets()) },
  ];
  return [
    { name: 'node', run: async () => ok(`Node.js ${nodeVersion} on ${platform()} ${arch()}`) },
    { name: 'terminal', run: async () => checkTerminal(context) },
    { name: 'certificate-checks', run: async () => checkCertificateChecks(context) },
    ...folderNames.map((name) => ({
      name: `${name}-folder`,
      run: () => checkWritable(folders[name], FOLDER_VARIABLES[name]),
    })),
    { name: 'permissions', run: () => checkPermissions(folders) },
    { name: 'writes', run: () => checkWrites(context) },
    ...(options.local ? [] : profileChecks),
  ];
}

const MIN_COLUMNS = 60;

function checkTerminal({ io, environment, options }: Context) {
  if (!io.stdout.isTerminal)
    return info('stdout is not a terminal: tables are not truncated, and nothing is drawn');
  const { columns = 0 } = io.stdout;
  const colors = shouldUseColor(options.color, io.stdout, environment) ? 'colors' : 'no colors';
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
  const detail = `${columns} columns, ${colors}, locale ${locale || 'not set'}`;
  if (platform() !== 'win32' && !/utf-?8/i.test(locale))
    return warn(
      detail,
      'set LANG to a UTF-8 locale, such as C.UTF-8; otherwise, some characters may be displayed incorrectly',
    );
  return columns < MIN_COLUMNS
    ? warn(detail, `widen the terminal to about ${MIN_COLUMNS} columns for tables, or use -o json`)
    : ok(detail);
}

function checkCertificateChecks({ environment }: Context) {
  if (!skipsCertificateChecks(environment)) return ok('server certificates are verified');
  return warn(
    skippedChecksWarning(),
    `unset ${TLS_CHECKS_VARIABLE}; to trust a private authority, use --ca-file`,
  );
}

function checkProfile(target: TargetWithSecrets): CheckResult {
  const { profile: chosen, baseUrl, missingReason } = target;
  if (listMissingSettings(target).length > 0)
    return resultOfError(createNotConfiguredError(target));
  const detail = chosen
    ? `${chosen.value} (${chosen.source})`
    : 'none (all settings come from the environment)';
  const saving = chosen
    ? step('configure', 'login', chosen.value, '--replace')
    : stepWithPlaceholder('configure', ['login'], '<name>');
  if (missingReason !== undefined)
    return fail('no_credential', missingReason, hint`to save the profile again, run ${saving}`);
  return ok(`${detail}, ${baseUrl?.value}${target.protectedBy === undefined ? '' : ', protected'}`);
}

async function checkWrites({ target, readOnly }: Context): Promise<CheckResult> {
  // The profile check reports a target that cannot be resolved.
  if (!(await target().catch(() => undefined))) return skipped('the target is not known');
  const found = await readOnly();
  if (!found) return ok('svc may write');
  const sources = found.sources.join(', ');
  return info(
    `svc refuses writes (set by ${sources}); this binds svc, not the token, which other programs can use`,
  );
}

async function checkKeychain(context: Context): Promise<CheckResult> {
  // The profile check reports problems with the settings.
  const target = await context.targetWithSecrets().catch(() => undefined);
  const sources = [target?.authToken, target?.workspaceAuthToken].flatMap(
    (secret) => secret?.source ?? [],
  );
  if (sources.length > 0 && sources.every((source) => source.startsWith('SVC_')))
    return skipped('not needed: all secrets come from environment variables');
  const problem = await findKeychainProblem(createSecretStorage(context), PROBE_CALLS);
  const suffix = sources.find((source) => source.includes('file '))
    ? '; the active secrets are stored in a file'
    : '';
  if (problem === undefined) return ok(`the keychain responds${suffix}`);
  const detail = `the keychain ${problem}, so secrets are stored in a file that only you can read`;
  // Most servers have no keychain.
  if (problem === 'is not running') return info(detail);
  return warn(
    detail,
    'unlock or restart the keychain, or use --insecure-storage to store secrets in a file',
  );
}

/**
 * Writes a test file, because permissions alone don't reveal a full or read-only disk.
 * @throws SvcError `local`
 */
async function checkWritable(folder: string, variable: string): Promise<CheckResult> {
  const existing = await nearestExisting(folder);
  const probe = join(existing, `.svc-doctor-${randomUUID()}`);
  try {
    await writeFile(probe, Buffer.alloc(4_096), { flag: 'wx', mode: 0o600, flush: true });
    return ok(
      existing === folder ? folder : `${folder} (does not exist yet; ${existing} is writable)`,
    );
  } catch (error) {
    const { message } = createLocalFileError('write to', existing, error);
    return fail(
      'local',
      message,
      `make the folder writable, free some disk space, or set ${variable} to another folder`,
    );
  } finally {
    await rm(probe, { force: true }).catch(() => undefined); // the file may not exist
  }
}

async function nearestExisting(folder: string): Promise<string> {
  const found = await statIfExists(folder);
  return found || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

async function checkPermissions({ config, state, data }: Folders): Promise<CheckResult> {
  if (userId === undefined) return skipped('not checked on Windows');
  const files = ['profiles.json', 'secrets.json'].map((name) => join(config, name));
  for (const path of [...files, config, state, data]) {
    const found = await statIfExists(path);
    if (!found) continue;
    const isFile = found.isFile();
    const mode = (found.mode & 0o777).toString(8);
    if (found.uid !== userId)
      return warn(`${path} belongs to another user`, `sudo chown $(id -u) ${quoteForShell(path)}`);
    if ((found.mode & 0o077) === 0) continue;
    const detail = `${path} is accessible to other users (${mode})`;
    const fix = `chmod ${isFile ? 600 : 700} ${quoteForShell(path)}`;
    return isFile ? fail('local', detail, fix) : warn(detail, fix);
  }
  return ok('only this user can read the profiles, the state, and the data');
}

async function statIfExists(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return undefined;
    throw createLocalFileError('access', path, error);
  }
}
