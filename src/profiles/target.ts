import type { SvcError } from '../kernel/errors.ts';
import type { SETTING_VARIABLES, SecretSetting } from '../kernel/variables.ts';
import type { ReadOnlySource } from './folder-file.ts';
import type { ProfileRule } from './required-approvals.ts';

/** A value and its source, for messages: `flag --base-url`, `SVC_ORG`, `profile 'prod'`. */
export interface Sourced<Value = string> {
  readonly value: Value;
  readonly source: string;
}

export type SettingName = keyof typeof SETTING_VARIABLES;

/** The settings from one source. Absent settings have no key, so that layers can be merged. */
export type Layer = { readonly [N in SettingName]?: Sourced };

/**
 * The service and credentials of a command, and where each part comes from. All parts come from
 * one profile, or none does.
 */
export interface TargetWithSecrets extends Omit<Layer, 'output'> {
  readonly headerPrefix: Sourced;
  /** The embedded service, with its data if that was given. */
  readonly embedded?: { readonly store?: string };
  /** The profile that the target comes from. */
  readonly profile?: Sourced;
  /** Name of the `.svc.json` that chose the profile, relative to the current folder. */
  readonly folderFile?: string;
  /** Name of the profile that protects the target. */
  readonly protectedBy?: string;
  readonly readOnly: readonly ReadOnlySource[];
  /** The rules of approvals that a plan must satisfy, the strictest first. */
  readonly approvals?: readonly ProfileRule[];
  /** Time when the auth token of the profile, which is in use, was replaced. */
  readonly tokenReplacedAt?: string;
  /** Why the credentials of a profile are not used. */
  readonly missingReason?: string;
  /** Why requests with the credentials of a workspace are refused. */
  readonly workspaceConflict?: SvcError;
}

/** A target without its secrets, which would require a keychain lookup. */
export interface CommandTarget extends Omit<TargetWithSecrets, SecretSetting> {
  /** Returns the target with its secrets, which are read once. @throws SvcError `local` if the secrets file is damaged */
  withSecrets(): Promise<TargetWithSecrets>;
}

/**
 * A target that a file names: an environment of a settings file, a saved plan, or a job. It counts
 * like `--profile`.
 */
export interface FileTarget {
  /** The file, and what in it names the target: `environment 'prod' of svc.yaml`. */
  readonly source: string;
  readonly profile?: string;
  /** The only base URL that the file allows. It is never a target by itself. */
  readonly baseUrl?: string;
}
