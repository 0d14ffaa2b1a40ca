import { rm, stat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { systemErrorCode } from '../../kernel/errors.ts';
import { createLocalFileError } from '../../kernel/files.ts';
import type { SavedPlan } from '../../settings/plan/saved-plan.ts';

/**
 * Returns the path of the file that marks an approved plan as used. It is beside the plan, since the
 * ledger in another state folder does not know the plan.
 */
export function usedMarkOf(
  { sha256 }: Pick<SavedPlan, 'sha256'>,
  file: string,
  cwd: string,
): string {
  return `${resolve(cwd, file)}.${sha256.slice(0, 8)}.used`;
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
  return (await stat(usedMarkOf(plan, file, cwd)).catch(() => undefined)) !== undefined;
}
