import type { Context } from '../context.ts';
import type { TokenDestination } from './destination.ts';
import type { ResetFlags } from './flags.ts';

/**
 * Opens the destinations that the flags select, in delivery order. If one cannot be opened, discards the others.
 * @throws SvcError `usage` or `local`. The caller must not send the reset.
 */
export async function openDestinations(
  context: Context,
  apiKey: string,
  { save, to, outputFile, github }: ResetFlags,
): Promise<readonly TokenDestination[]> {
  const openers: ((() => Promise<TokenDestination>) | undefined)[] = [
    save ? async () => (await import('./to-profile.ts')).openProfile(context, apiKey) : undefined,
    to === undefined ? undefined : async () => (await import('./to-command.ts')).openCommand(context, to),
    outputFile === undefined ? undefined : async () => (await import('./to-file.ts')).openFile(context, outputFile),
    github ? async () => (await import('./to-github.ts')).openGithub(context) : undefined,
  ];
  const opened: TokenDestination[] = [];
  try {
    for (const open of openers) if (open) opened.push(await open());
    return opened;
  } catch (error) {
    await discardAll(opened);
    throw error;
  }
}

export async function discardAll(destinations: readonly TokenDestination[]): Promise<void> {
  for (const destination of destinations) await destination.discard();
}
