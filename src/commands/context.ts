import type { InputNaming } from '../catalog/flags.ts';
import type { Client } from '../client/client.ts';
import type { Tracer } from '../client/tracer.ts';
import type { ReadOnly, RequiredApprovals } from '../client/write-guard.ts';
import type { Recorder } from '../contract/recorder.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Hint } from '../kernel/errors.ts';
import type { Environment, Folders } from '../kernel/folders.ts';
import type { Io } from '../kernel/io.ts';
import type { TimeStyle } from '../output/display-options.ts';
import type { Format } from '../output/format.ts';
import type { Printer } from '../output/printer.ts';
import type { Progress } from '../output/progress.ts';
import type { ApprovalRule } from '../profiles/required-approvals.ts';
import type { CommandTarget, FileTarget, TargetWithSecrets } from '../profiles/target.ts';
import type { EmbeddedInstance } from '../service/embedded.ts';
import type { Activity } from './activity.ts';
import type { ListOptions } from './list-flags.ts';
import type { Prompter } from './prompter.ts';

export interface GlobalOptions {
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly caFile?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
  readonly store?: string;
  readonly output?: Format;
  readonly fields?: readonly string[];
  readonly jq?: string;
  readonly local: boolean;
  readonly insecureHttp: boolean;
  readonly time: TimeStyle;
  readonly headers: boolean;
  readonly bom: boolean;
  readonly pager: boolean;
  readonly envelope: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly debug: boolean;
  readonly color: 'auto' | 'always' | 'never';
  readonly input: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
  /** Time limit per attempt, in milliseconds. */
  readonly timeout: number;
  /** Total time to wait for rate limits, in milliseconds. */
  readonly maxWait: number;
  /** Time to retry while a proxy does not reach the service, in milliseconds. */
  readonly retryFor?: number;
  readonly showSecrets: boolean;
  /** Whether messages stay text with JSON output, for a host that shows them. */
  readonly plainMessages: boolean;
  /** Records to print. Set only for a command that prints a list. */
  readonly list?: ListOptions;
}

export interface ProcessEnvironment {
  readonly io: Io;
  readonly environment: Environment;
  readonly cwd: string;
  readonly clock: Clock;
  readonly folders: Folders;
  /**
   * Aborted by the first SIGINT, SIGTERM, or SIGHUP. The reason is the SvcError that ends the
   * command.
   */
  readonly signal: AbortSignal;
  /** Runs another command line in this process, with other environment variables. */
  readonly runLine?: (words: readonly string[], environment: Environment) => Promise<void>;
  /** Receives the exchanges with the service, instead of the file that `SVC_CONTRACT` names. */
  readonly recorder?: Pick<Recorder, 'record'>;
}

/** The process environment and the options of a command. */
export interface CommandEnvironment extends ProcessEnvironment {
  readonly options: GlobalOptions;
}

/** The approvals that a profile demands for the plan of a command. */
export interface PlanApprovals extends RequiredApprovals {
  /** Every rule that a plan must satisfy, the strictest first. */
  readonly rules: readonly ApprovalRule[];
  /** Allows the writes of this command. Call it after the approvals of its plan were verified. */
  readonly grant: () => void;
}

/** Parts and options that replace those of a context when it is reopened. */
export type ContextChanges = Partial<
  Pick<Context, 'io' | 'signal' | 'recorder' | 'options' | 'inputNaming' | 'fileTarget'>
>;

/** A context that its opener closes. */
export interface OpenedContext {
  readonly context: Context;
  close(error?: unknown): Promise<void>;
}

/** The parts of a context that print. */
export interface OutputParts {
  readonly io: Io;
  format(): Promise<Format>;
  printer(): Promise<Printer>;
  /** Progress display. While the command runs, only the progress display draws on the terminal. */
  progress(): Promise<Progress>;
  /**
   * Prints a message to stderr, unless `--quiet` is set. Adds service flags to the commands in the
   * message.
   */
  note(message: string | Hint): Promise<void>;
  warn(message: string | Hint): Promise<void>;
}

/** The protections of a command's target. */
export interface ProtectedService {
  /** Why the command may only read; undefined if it may write. */
  readOnly(): Promise<ReadOnly | undefined>;
  /** The approvals that the profile demands; undefined if it demands none. */
  approvals(): Promise<PlanApprovals | undefined>;
}

/** The parts of a context that concern the service of a command. */
export interface CommandService extends ProtectedService {
  /**
   * The service and credentials of the command, without secrets; the keychain is not accessed. Every
   * message, record, and request about the service uses this value.
   * @throws SvcError `usage` if the sources contradict each other
   */
  target(): Promise<CommandTarget>;
  targetWithSecrets(): Promise<TargetWithSecrets>;
  /** Records spans, if the environment names a collector. */
  tracing(): Promise<Tracing | undefined>;
  client(): Promise<Client>;
  /** The embedded service that the client calls; undefined over the network. */
  embedded(): Promise<EmbeddedInstance | undefined>;
}

/** The environment and the service of a command, without its output and prompts. */
export interface ConnectedCommand extends CommandEnvironment, CommandService {}

/**
 * Passed to every command: the process environment, options, and parts of svc that are created on
 * first use.
 */
export interface Context extends ConnectedCommand, OutputParts {
  /** Words of the command line after `svc`; empty for a command that no line named. */
  readonly words: readonly string[];
  readonly inputNaming: InputNaming;
  readonly activity: Activity;
  /** Opens another context for the same run, for example with other options. */
  reopen(changes: ContextChanges): OpenedContext;
  /** The target that a file names, such as a settings file or a job. */
  readonly fileTarget: FileTarget | undefined;
  /**
   * Asks for confirmation before a destructive write. Returns at once with `--yes`. The prompt
   * names the service, unless the write affects only this machine.
   * @throws SvcError `usage` if prompts are not possible
   */
  confirm(question: string, about?: 'service' | 'this machine'): Promise<void>;
  /** Prompts for input other than a confirmation. Check `canAsk` first. */
  prompter(): Promise<Prompter>;
}

/** The trace of a command, which a collector receives at the end. */
export interface Tracing extends Tracer {
  readonly traceId: string;
  /** Variables that let a child process continue the trace. */
  readonly variables: Readonly<Record<string, string>>;
  /**
   * Ends the span of the command, and sends all spans. Never rejects.
   * @returns what happened, for `--verbose`
   */
  finish(command: string, exitCode: number): Promise<string>;
}
