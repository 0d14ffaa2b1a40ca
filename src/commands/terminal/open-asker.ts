import type { Asker, AskerDependencies } from '../asker.ts';
import { wantsMarks } from './terminal.ts';

/** The asker for this terminal: prompts that redraw themselves do it with signs. Whether there is somebody to ask is for the caller to know. */
export async function openAsker(dependencies: AskerDependencies): Promise<Asker> {
  if (wantsMarks(dependencies)) return (await import('./prompt-asker.ts')).createPromptAsker(dependencies);
  return (await import('./plain-asker.ts')).createPlainAsker(dependencies);
}
