import { loadSettings } from '../../settings/file/load-settings.ts';
import { SettingsError } from '../../settings/file/read-settings.ts';
import type { DeclaredSettings } from '../../settings/settings.ts';
import { createFindingsError } from '../call/findings-error.ts';
import type { Context } from '../context.ts';

/**
 * @throws SvcError `invalid_input` for an invalid file, `usage` if the file or the environment does not
 * exist
 */
export async function loadSettingsFile(
  context: Context,
  file: string,
  environment: string | undefined,
): Promise<DeclaredSettings> {
  const { io, cwd, signal, environment: variables } = context;
  return withPrintedProblems(context, file, () =>
    loadSettings({ file, environment, cwd, stdin: io.stdin, variables, signal }),
  );
}

/** Runs `read`. Prints the problems of an invalid settings file if there are several. */
export async function withPrintedProblems<Result>(
  context: Context,
  name: string,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const found = { findings: error.problems, findingCount: error.problems.length };
    const hint = 'nothing was written; fix the file and run the command again';
    throw await createFindingsError(context, found, {
      failure: 'invalid_input',
      name,
      part: 'its settings',
      hint,
    });
  }
}
