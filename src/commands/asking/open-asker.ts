import { wantsPlainText } from '../terminal/terminal.ts';
import type { Asker, AskingWorld } from './asker.ts';

/** The asker for this terminal. Whether there is somebody to ask is for the caller to know. */
export async function openAsker(world: AskingWorld): Promise<Asker> {
  if (wantsPlainText(world)) return (await import('./plain-asker.ts')).createPlainAsker(world);
  return (await import('./prompt-asker.ts')).createPromptAsker(world);
}
