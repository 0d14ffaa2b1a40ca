import { loadSettings } from '../../settings/file/load-settings.ts';
import { SettingsError } from '../../settings/file/read-settings.ts';
import type { DeclaredSettings } from '../../settings/settings.ts';
import { createFindingsError } from '../call/findings-error.ts';
import type { ConnectedCommand, OutputParts } from '../context.ts';
import type { CommandFile } from '../outputs/check-outputs.ts';
import { checkFoundFiles } from '../outputs/command-files.ts';

/**
 * @throws SvcError `invalid_input` for an invalid file, `usage` if the file or the environment does not
 * exist, or if stdout is redirected to one of the files
 */
export async function loadSettingsFile(
  context: ConnectedCommand & OutputParts,
  file: string,
  environment: string | undefined,
): Promise<DeclaredSettings> {
  const { io, cwd, signal, environment: variables } = context;
  await checkFoundFiles(context, [{ name: 'the settings file', file }]);
  const settings = await withPrintedProblems(context, file, () =>
    loadSettings({ file, environment, cwd, stdin: io.stdin, variables, signal }),
  );
  await checkFoundFiles(context, settingsFiles(settings));
  return settings;
}

/** Returns the files of a settings file: its parts, and the files that it refers to. */
export function settingsFiles({ name, files, secrets }: DeclaredSettings): readonly CommandFile[] {
  const ofSecrets = secrets.flatMap(({ reference }) => ('file' in reference ? reference.file : []));
  return [...files.map(({ path }) => path), ...ofSecrets].map((file) => ({ name, file }));
}

/** Runs `read`. Prints the problems of an invalid settings file if there are several. */
export async function withPrintedProblems<Result>(
  output: OutputParts,
  name: string,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const found = { findings: error.problems, findingCount: error.problems.length };
    const hint = 'nothing was written; fix the file and run the command again';
    throw await createFindingsError(output, found, {
      failure: 'invalid_input',
      name,
      part: 'its settings',
      hint,
    });
  }
}
