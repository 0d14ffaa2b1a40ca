import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { textValue } from '../option-values.ts';
import type { Destination } from './destination.ts';

/** Where the flags send the token besides stdout. */
export interface DestinationOptions {
  readonly save: boolean;
  readonly to: string | undefined;
  readonly outputFile: string | undefined;
  readonly github: boolean;
}

export function destinationOptions({ options }: Invocation): DestinationOptions {
  return {
    save: options['save'] === true,
    to: textValue(options, 'to'),
    outputFile: textValue(options, 'outputFile'),
    github: options['github'] === true,
  };
}

type Opener = () => Promise<Destination>;

/**
 * Opens every destination, in the order in which the token goes to them. One that cannot be opened closes the others.
 * @throws SvcError `usage` or `local`; nothing may be sent then
 */
export async function openDestinations(
  context: Context,
  apiKey: string,
  { save, to, outputFile, github }: DestinationOptions,
): Promise<readonly Destination[]> {
  const openers: (Opener | undefined)[] = [
    save ? async () => (await import('./to-profile.ts')).openProfile(context, apiKey) : undefined,
    to === undefined ? undefined : async () => (await import('./to-command.ts')).openCommand(context, to),
    outputFile === undefined ? undefined : async () => (await import('./to-file.ts')).openFile(context, outputFile),
    github ? async () => (await import('./to-github.ts')).openGithub(context) : undefined,
  ];
  const opened: Destination[] = [];
  try {
    for (const open of openers) if (open) opened.push(await open());
    return opened;
  } catch (error) {
    await discardAll(opened);
    throw error;
  }
}

export async function discardAll(destinations: readonly Destination[]): Promise<void> {
  for (const destination of destinations) await destination.discard();
}
