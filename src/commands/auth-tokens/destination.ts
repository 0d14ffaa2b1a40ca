import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { textValue } from '../option-values.ts';

/** A place that a new token goes to, opened before there is one. */
export interface Destination {
  /** For messages: `profile 'prod'`, `token.txt`. */
  readonly name: string;
  /** Resolves once the token is safe there. */
  deliver(token: string): Promise<void>;
  /** Undoes the opening; there will be no token. */
  discard(): Promise<void>;
}

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
