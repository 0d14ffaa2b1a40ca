import { stat } from 'node:fs/promises';
import { messageOf } from '../../kernel/errors.ts';
import { openOutputFile } from '../../kernel/output-file.ts';
import { closeAfter } from '../../kernel/resource.ts';
import type { OutputParts, ProcessEnvironment } from '../context.ts';

/** GitHub discards the summary of a step if it has more bytes. */
const MAX_BYTES = 1024 * 1024;

/**
 * Appends Markdown to the summary of a step in GitHub Actions, if the environment names its file.
 * Only warns if it cannot.
 */
export async function appendStepSummary(
  { environment, warn, signal }: ProcessEnvironment & OutputParts,
  render: () => string | Promise<string>,
): Promise<void> {
  const path = environment['GITHUB_STEP_SUMMARY'];
  if (!path) return;
  try {
    const text = `${await render()}\n`;
    const { size } = (await stat(path).catch(() => undefined)) ?? { size: 0 };
    if (size + Buffer.byteLength(text) > MAX_BYTES)
      return await warn('GITHUB_STEP_SUMMARY: the summary of the step is full');
    const file = await openOutputFile(path, { existing: 'append', mode: 0o600, signal });
    await closeAfter(file, () => file.write(text));
  } catch (error) {
    await warn(`GITHUB_STEP_SUMMARY: ${messageOf(error)}`);
  }
}
