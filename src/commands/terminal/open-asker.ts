import type { Asker, AskingWorld } from '../asker.ts';
import { wantsMarks } from './terminal.ts';

/** The asker for this terminal: prompts that redraw themselves do it with signs. Whether there is somebody to ask is for the caller to know. */
export async function openAsker(world: AskingWorld): Promise<Asker> {
  if (wantsMarks(world)) return (await import('./prompt-asker.ts')).createPromptAsker(world);
  return (await import('./plain-asker.ts')).createPlainAsker(world);
}
