import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import type { TokenDestination } from './destination.ts';
import type { ResetFlags } from './flags.ts';

/** Destinations given by flags. */
export interface DestinationOptions {
  readonly save: boolean;
  readonly to: string | undefined;
  readonly outputFile: string | undefined;
  readonly github: boolean;
  /** Whether the token is printed. `--to` and `--output-file` replace stdout unless `--print` is given. */
  readonly print: boolean;
}

export function readDestinationOptions({ options }: Invocation<ResetFlags>): DestinationOptions {
  const { to, outputFile } = options;
  return {
    save: options.save === true,
    to,
    outputFile,
    github: options.github === true,
    print: options.print === true || (to === undefined && outputFile === undefined),
  };
}

type Opener = () => Promise<TokenDestination>;

/**
 * Opens every destination, in delivery order. If one fails, the others are discarded.
 * @throws SvcError `usage` or `local`; the reset must not be sent then
 */
export async function openDestinations(
  context: Context,
  apiKey: string,
  { save, to, outputFile, github }: DestinationOptions,
): Promise<readonly TokenDestination[]> {
  const openers: (Opener | undefined)[] = [
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
