import type { InputNaming } from '../catalog/flags.ts';
import type { Client } from '../client/client.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Environment, Folders } from '../kernel/folders.ts';
import type { Hint } from '../kernel/hint.ts';
import type { Io } from '../kernel/io.ts';
import type { TimeStyle } from '../output/display-options.ts';
import type { Format } from '../output/format.ts';
import type { Printer } from '../output/printer.ts';
import type { Progress } from '../output/progress.ts';
import type { Settings, SettingsWithoutSecrets } from '../profiles/resolve.ts';
import type { EmbeddedInstance } from '../service/embedded.ts';
import type { Activity } from './activity.ts';
import type { Prompter } from './prompter.ts';

/** The global flags, parsed. */
export interface GlobalOptions {
  readonly profile?: string;
  readonly local: boolean;
  /** Value of `--output`. Without it, the settings decide; the default is `table`. */
  readonly output?: Format;
  readonly fields?: readonly string[];
  /** jq expression that filters the JSON result. */
  readonly jq?: string;
  readonly time: TimeStyle;
  readonly headers: boolean;
  /** False with `--no-pager`. */
  readonly pager: boolean;
  readonly envelope: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly debug: boolean;
  readonly color: 'auto' | 'always' | 'never';
  /** False with `--no-input`. */
  readonly input: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
  /** Time limit per attempt, in milliseconds. */
  readonly timeout: number;
  /** Total time to wait for rate limits, in milliseconds. */
  readonly maxWait: number;
  readonly showSecrets: boolean;
  readonly baseUrl?: string;
  /** PEM file of additional trusted certificate authorities. */
  readonly caFile?: string;
  /** Whether to allow plain http to hosts other than this machine. */
  readonly insecureHttp: boolean;
  /** Location of the embedded service's store. */
  readonly store?: string;
}

/** Parts of the process that are available before any flag is parsed. */
export interface ProcessEnvironment {
  readonly io: Io;
  readonly environment: Environment;
  readonly cwd: string;
  readonly clock: Clock;
  readonly folders: Folders;
  /** Aborted by the first SIGINT, SIGTERM, or SIGHUP. The reason is the SvcError that ends the command. */
  readonly signal: AbortSignal;
}

/** Passed to every command: the process environment, options, and parts of svc that are created on first use. */
export interface Context extends ProcessEnvironment {
  readonly options: GlobalOptions;
  /** How messages name the inputs of an operation. */
  readonly inputNaming: InputNaming;
  readonly activity: Activity;
  settings(): Promise<Settings>;
  /** Settings without secrets; the keychain is not accessed. */
  openSettings(): Promise<SettingsWithoutSecrets>;
  client(): Promise<Client>;
  /** The embedded service that the client calls; undefined over the network. */
  embedded(): Promise<EmbeddedInstance | undefined>;
  format(): Promise<Format>;
  printer(): Promise<Printer>;
  /** Progress display. While the command runs, only the progress display draws on the terminal. */
  progress(): Promise<Progress>;
  /** Prints a message to stderr, unless `--quiet` is set. Adds service flags to the commands in the message. */
  note(message: string | Hint): Promise<void>;
  warn(message: string | Hint): Promise<void>;
  /**
   * Asks for confirmation before a destructive write. Returns at once with `--yes`. The prompt names the service,
   * unless the write affects only this machine.
   * @throws SvcError `usage` if prompts are not possible
   */
  confirm(question: string, about?: 'service' | 'this machine'): Promise<void>;
  /** Prompts for input other than a confirmation. Check `canAsk` first. */
  prompter(): Promise<Prompter>;
}
