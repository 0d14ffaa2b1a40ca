import type { JobFolder } from '../../bulk/journal/job-folder.ts';
import { SWITCH_VARIABLES } from '../../kernel/variables.ts';
import type { BeforeImages } from '../../settings/undo/before-images.ts';
import type { Context } from '../context.ts';

/** Opens the file for the values that a job replaces; `undefined` if that is turned off. */
export async function openBeforeImages(
  { environment, client, clock, warn }: Context,
  { beforeImages: path }: JobFolder,
): Promise<BeforeImages | undefined> {
  if (environment[SWITCH_VARIABLES.undo] === '0') return undefined;
  const { BeforeImages } = await import('../../settings/undo/before-images.ts');
  return new BeforeImages({ path, client: await client(), clock, warn });
}
