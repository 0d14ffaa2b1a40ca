import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { InputFile } from '../../bulk/input-file.ts';
import { createJobName } from '../../bulk/journal/job-folder.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError, systemErrorCode } from '../../kernel/errors.ts';
import { resolveLinks, throwFileError } from '../../kernel/files.ts';
import { resolveOutputPath } from '../../kernel/named-file.ts';
import { isStream } from '../../kernel/output-file.ts';
import { closeAfter } from '../../kernel/resource.ts';
import { createTemporaryFolder } from '../../kernel/temporary.ts';
import { copyHashed, hashFile } from '../../settings/file/read-files.ts';
import type { PlannedInput } from '../../settings/plan/saved-write.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../options.ts';
import { saveWrite } from '../write-plans/save-write.ts';
import type { BulkRequest } from './bulk-request.ts';
import { printRepeatingCommand } from './follow-up-commands.ts';
import { countSending } from './pending-records.ts';
import { prepareRequest } from './prepare-request.ts';

/**
 * Checks the records of a request, and saves a plan that sends exactly these records. Copies input
 * files beside the plan.
 * @throws SvcError `invalid_input` for an invalid record, `usage` for a flag that belongs to the
 * command that sends the records
 */
export async function saveRecords(
  context: Context,
  oldest: OperationEntry,
  request: BulkRequest,
  out: string,
): Promise<void> {
  const { rejects, results } = request.options;
  const output = rejects === undefined ? results && '--results' : '--rejects';
  if (output !== undefined)
    throw new SvcError('usage', `${output} and --out cannot be combined`, {
      hint: 'the command that applies the plan writes failed records to a file',
    });
  const restart = await closeAfter(await createTemporaryFolder(), async ({ path }) => {
    const prepared = await prepareRequest(context, oldest, request, {
      job: createJobName(context.clock.now()),
      folder: { spool: join(path, 'input'), grouped: join(path, 'grouped.sqlite') },
    });
    if ('restart' in prepared) return prepared.restart;
    const { entry, plan, organizations, answers } = prepared;
    const { calls, input, limits, options } = plan;
    const created: string[] = [];
    try {
      await printRepeatingCommand(context, answers);
      if (input.check.records === 0)
        throw new SvcError('invalid_input', `${input.input.name} contains nothing to send`);
      const { hasDefaultOrganization = false } = request;
      const { organizationId } = request.data;
      const sending = await countSending(context, input, limits, organizations);
      const { listName } = calls.fields;
      const records = options.file === undefined ? recordsOf(request, listName) : undefined;
      await saveWrite(
        context,
        {
          operation: entry.name,
          data: { ...(hasDefaultOrganization && { organizationId }), ...calls.data },
          hasDefaultOrganization,
          options: { ...options },
          ...optionalProperty('records', records),
          files: records ? [] : await copyFiles(context, input.input.files, out, created),
          total: input.check.records,
          ...sending,
        },
        out,
      );
      return undefined;
    } catch (error) {
      for (const copy of created) await rm(copy, { force: true });
      throw error;
    } finally {
      input.grouped?.close();
      await input.input.discard();
    }
  });
  if (restart) await saveRecords(context, oldest, restart, out);
}

function recordsOf({ data, record }: BulkRequest, listName: string): readonly unknown[] {
  if (record) return [record];
  const listed = data[listName];
  return Array.isArray(listed) ? listed : [listed];
}

const HASH_LENGTH = 8;

/**
 * Copies the files of an input beside a plan, unless the plan goes to a device or a pipe. Each copy has
 * exactly the bytes that were checked.
 * @param created gets the paths of new copies
 */
async function copyFiles(
  { cwd, signal, warn }: Context,
  files: readonly InputFile[],
  out: string,
  created: string[],
): Promise<readonly PlannedInput[]> {
  const path = resolveOutputPath(out, cwd);
  const isCopied = !(await isStream(path));
  if (!isCopied)
    await warn(`${out} is not a file, so the plan cannot be applied: it has no copy of its input`);
  const plan = isCopied ? await resolveLinks(path).catch(throwFileError('write', out)) : path;
  const copied: PlannedInput[] = [];
  for (const { name, format, path: source = '', spooled, fingerprint } of files) {
    const { bytes, sha256 } = fingerprint();
    const copy = `${basename(plan)}.${sha256.slice(0, HASH_LENGTH)}.${format}`;
    if (isCopied) {
      const copyPath = join(dirname(plan), copy);
      const found = await copyOnce(source, copyPath, { signal, created });
      if (found !== sha256) throw createCopyError(name, copy, created.includes(copyPath));
    }
    copied.push({ name, path: spooled ? null : source, copy, format, bytes, sha256 });
  }
  return copied;
}

function createCopyError(name: string, copy: string, isNew: boolean): SvcError {
  return isNew
    ? new SvcError('invalid_input', `${name} changed while it was read; no plan was saved`)
    : new SvcError('usage', `${copy} already exists and is not a copy of ${name}`, {
        hint: 'no plan was saved; move or delete that file',
      });
}

/** Copies a file, unless the copy exists. Returns the hash of the copy. */
async function copyOnce(
  path: string,
  copy: string,
  { signal, created }: { readonly signal: AbortSignal; readonly created: string[] },
): Promise<string> {
  try {
    const { sha256 } = await copyHashed(path, copy, signal);
    created.push(copy);
    return sha256;
  } catch (error) {
    const isThere = error instanceof SvcError && systemErrorCode(error.cause) === 'EEXIST';
    if (!isThere) throw error;
    return (await hashFile(copy, '/', signal)).sha256;
  }
}
