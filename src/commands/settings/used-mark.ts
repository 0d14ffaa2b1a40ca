import { realpath, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { systemErrorCode } from '../../kernel/errors.ts';
import { createLocalFileError } from '../../kernel/files.ts';
import type { SavedPlan } from '../../settings/plan/saved-plan.ts';

/**
 * Returns the path of the file that marks an approved plan as used. It is beside the plan, since the
 * ledger in another state folder does not know the plan, and its name does not depend on the name of
 * the plan, which may be a link or a copy.
 */
export async function usedMarkOf(
  { sha256 }: Pick<SavedPlan, 'sha256'>,
  file: string,
  cwd: string,
): Promise<string> {
  const path = resolve(cwd, file);
  const folder = dirname(await realpath(path).catch(() => path));
  return join(folder, `plan-${sha256.slice(0, 16)}.used`);
}

/** @returns whether the mark did not exist */
export async function markUsed(mark: string): Promise<boolean> {
  try {
    await writeFile(mark, 'svc applied this plan.\n', { flag: 'wx' });
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw createLocalFileError('write', mark, error);
  }
}

export async function unmarkUsed(mark: string): Promise<void> {
  await rm(mark, { force: true });
}

/** Whether a plan that needs approvals was applied before, maybe with another state folder. */
export async function isUsed(
  plan: Pick<SavedPlan, 'sha256'>,
  file: string,
  cwd: string,
): Promise<boolean> {
  const mark = await usedMarkOf(plan, file, cwd);
  return (await stat(mark).catch(() => undefined)) !== undefined;
}
