import { existsSync } from 'node:fs';
import type { JobFolder } from '../../bulk/journal/job-folder.ts';
import type { OperationName } from '../../catalog/index.ts';
import { SWITCH_VARIABLES } from '../../kernel/variables.ts';
import type { Context } from '../context.ts';

type Save = (
  operation: OperationName,
  inputs: readonly Readonly<Record<string, unknown>>[],
) => Promise<void>;

/**
 * Creates a function that saves the values that a job's request replaces. It only warns if they
 * cannot be read, and throws an SvcError `local` if they cannot be saved.
 * @returns undefined if that is turned off, or if the job has no folder
 */
export async function openBeforeImages(
  context: Context,
  folder: JobFolder | undefined,
): Promise<Save | undefined> {
  const { environment, activity, client, clock, warn } = context;
  if (!folder || environment[SWITCH_VARIABLES.undo] === '0') return undefined;
  // A resumed job has the values that its earlier runs replaced.
  if (existsSync(folder.beforeImages)) activity.undo = folder.job;
  const { appendImages, createImageSaver } = await import('../../settings/undo/before-images.ts');
  return createImageSaver({
    client: await client(),
    clock,
    warn,
    append: async (lines) => {
      await appendImages(folder.beforeImages, lines);
      activity.undo = folder.job;
    },
  });
}
