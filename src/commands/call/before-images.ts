import { createJobName, type JobFolder } from '../../bulk/journal/job-folder.ts';
import type { OperationName } from '../../catalog/index.ts';
import { messageOf } from '../../kernel/errors.ts';
import { SWITCH_VARIABLES } from '../../kernel/variables.ts';
import type { Context } from '../context.ts';
import { describeJobTarget } from './describe-target.ts';

/**
 * Opens the file for the values that a job or a single call replaces; `undefined` if that is turned
 * off.
 * @param folder folder of the job; undefined for a call, and for a job that has none
 */
export async function openBeforeImages(context: Context, operation: string, folder?: JobFolder) {
  const { environment, activity, folders, client, clock, warn } = context;
  if (environment[SWITCH_VARIABLES.undo] === '0') return undefined;
  const [{ appendImages, createImageSaver }, { appendCallImages, removeCallImages }] =
    await Promise.all([
      import('../../settings/undo/before-images.ts'),
      import('../../settings/undo/call-images.ts'),
    ]);
  const connected = await client();
  // A write that is not allowed sends nothing.
  await connected.ensureWritesAllowed();
  const startedAt = clock.now();
  const id = folder?.job ?? createJobName(startedAt);
  const saveImages = createImageSaver({
    client: connected,
    clock,
    warn,
    subject: folder ? 'the job' : 'this change',
    append: async (lines) => {
      if (folder) await appendImages(folder.beforeImages, lines);
      else {
        const call = { operation, target: await describeJobTarget(context), startedAt };
        await appendCallImages(folders, id, [call, ...lines]);
      }
      activity.undo = id;
    },
  });
  return {
    /**
     * Saves the values that a request replaces. Only warns if they cannot be read.
     * @throws SvcError `local` for a job
     */
    save: async (
      name: OperationName,
      inputs: readonly Readonly<Record<string, unknown>>[],
    ): Promise<void> => {
      try {
        await saveImages(name, inputs);
      } catch (error) {
        if (folder || context.signal.aborted) throw error;
        await warn(`this change cannot be undone: ${messageOf(error)}`);
      }
    },
    discard: async (): Promise<void> => {
      activity.undo = null;
      if (!folder) await removeCallImages(folders, id);
    },
  };
}
