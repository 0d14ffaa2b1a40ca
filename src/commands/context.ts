import type { Client } from '../client/client.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Environment, Folders } from '../kernel/folders.ts';
import type { Io } from '../kernel/io.ts';
import type { Format } from '../output/format.ts';
import type { TimeStyle } from '../output/look.ts';
import type { Printer } from '../output/printer.ts';
import type { Progress } from '../output/progress.ts';
import type { OpenSettings, Settings } from '../profiles/resolve.ts';
import type { Activity } from './activity.ts';
import type { Asker } from './asker.ts';

/** The global flags, parsed. */
export interface GlobalOptions {
  readonly profile?: string;
  readonly local: boolean;
  /** As given by flag; the settings decide otherwise, and `table` is the default. */
  readonly output?: Format;
  readonly fields?: readonly string[];
  /** A jq expression that the result goes through, as JSON. */
  readonly jq?: string;
  /** How tables show times. */
  readonly time: TimeStyle;
  readonly headers: boolean;
  readonly envelope: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly debug: boolean;
  readonly color: 'auto' | 'always' | 'never';
  /** False: never prompt. */
  readonly input: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
  /** Milliseconds one attempt may take. */
  readonly timeout: number;
  /** Milliseconds all waiting for rate limits may take together. */
  readonly maxWait: number;
  readonly showSecrets: boolean;
  readonly baseUrl?: string;
  /** A file of certificates that are trusted besides the known authorities. */
  readonly caFile?: string;
  /** Plain http may go to other hosts than this one. */
  readonly insecureHttp: boolean;
  /** Where the embedded service keeps its data. */
  readonly store?: string;
}

/** What the process provides to every command, before any flag is read. */
export interface ProcessEnvironment {
  readonly io: Io;
  readonly environment: Environment;
  readonly cwd: string;
  readonly clock: Clock;
  readonly folders: Folders;
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP, with the SvcError that ends the run as its reason. */
  readonly signal: AbortSignal;
}

/** What a command is given: the process's environment, its options, and parts of svc that are made at first use. */
export interface Context extends ProcessEnvironment {
  readonly options: GlobalOptions;
  /** What the run has asked the service to write so far. */
  readonly activity: Activity;
  settings(): Promise<Settings>;
  /** The settings without the secrets, for who needs none: a keychain is not asked. */
  openSettings(): Promise<OpenSettings>;
  client(): Promise<Client>;
  format(): Promise<Format>;
  printer(): Promise<Printer>;
  /** The one place that draws on the terminal while the command is at work. */
  progress(): Promise<Progress>;
  /** A line on stderr; nothing with `--quiet`. */
  note(text: string): Promise<void>;
  warn(text: string): Promise<void>;
  /**
   * Asks before a write that can hurt, naming whom it goes to unless it is about this machine alone; passes with
   * `--yes`, and refuses (usage) where nobody can answer.
   */
  confirm(question: string, about?: 'service' | 'this machine'): Promise<void>;
  /** Reads a secret from a terminal without echo; refuses (usage) where nobody can answer. */
  askSecret(question: string): Promise<string>;
  ask(question: string): Promise<string>;
  /** Who asks, where a command has questions of its own. That somebody can answer is for the command to see. */
  asker(): Promise<Asker>;
}
