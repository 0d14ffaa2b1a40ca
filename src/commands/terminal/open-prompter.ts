import type { Prompter, PrompterDependencies } from '../prompter.ts';
import { canUseSymbols } from './terminal.ts';

/** Opens an interactive prompter if the terminal can show symbols, or a plain one otherwise. Check `canAsk` first. */
export async function openPrompter(dependencies: PrompterDependencies): Promise<Prompter> {
  if (canUseSymbols(dependencies))
    return (await import('./interactive-prompter.ts')).createInteractivePrompter(dependencies);
  return (await import('./plain-prompter.ts')).createPlainPrompter(dependencies);
}
