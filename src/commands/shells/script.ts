import { readFile } from 'node:fs/promises';
import { readBuildFile } from '../../kernel/bundled-programs.ts';
import { SCRIPT_FILES, type Shell } from './shells.ts';

/** Reads the completion script of a shell. The build copies `completions/` next to the chunks. */
export async function readCompletionScript(shell: Shell): Promise<string> {
  const name = SCRIPT_FILES[shell];
  const content = await readBuildFile(name, import.meta.url);
  return String(content ?? (await readFile(new URL(`../../../completions/${name}`, import.meta.url))));
}
