import type { Prompter, PrompterDependencies } from '../prompter.ts';
import { canUseSymbols } from './terminal.ts';

/** Opens the prompter for this terminal. Interactive prompts need symbols. The caller must check that prompts are possible. */
export async function openPrompter(dependencies: PrompterDependencies): Promise<Prompter> {
  if (canUseSymbols(dependencies))
    return (await import('./interactive-prompter.ts')).createInteractivePrompter(dependencies);
  return (await import('./plain-prompter.ts')).createPlainPrompter(dependencies);
}
