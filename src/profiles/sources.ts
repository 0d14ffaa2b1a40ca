import { resolve } from 'node:path';
import { parseBaseUrl } from '../client/target.ts';
import type { Environment, Folders } from '../kernel/folders.ts';
import { completeLoopbackUrl } from '../kernel/loopback.ts';
import { SETTING_VARIABLES } from '../kernel/variables.ts';
import { type FolderFiles, readFolderFiles } from './folder-file.ts';
import type { Keychain } from './keychain.ts';
import { parseHeaderPrefix } from './profile.ts';
import { parseCredential, parseSecret } from './secret-input.ts';
import type { FileTarget, Layer, SettingName, Sourced } from './target.ts';

export interface TargetDependencies {
  readonly flags: {
    readonly profile?: string;
    readonly baseUrl?: string;
    readonly caFile?: string;
    readonly clientCert?: string;
    readonly clientKey?: string;
  };
  readonly environment: Environment;
  readonly cwd: string;
  readonly folders: Folders;
  readonly signal?: AbortSignal;
  /** The embedded service, which has its own credentials: only the organization applies. */
  readonly embedded?: { readonly store?: string };
  readonly fileTarget?: FileTarget | undefined;
  /** The credential that the command sends, which identifies the target. Default: the API key. */
  readonly credential?: 'apiKey' | 'workspaceId' | undefined;
  /** The files of the folder, if they were read before. */
  readonly folderFiles?: FolderFiles;
  readonly keychain?: Keychain;
}

type Values = { readonly [N in SettingName]?: string | undefined };

const PARSERS: { readonly [N in SettingName]?: (text: string, source: string) => string } = {
  baseUrl: (text, source) => parseBaseUrl(completeLoopbackUrl(text), source),
  headerPrefix: parseHeaderPrefix,
  apiKey: parseCredential,
  authToken: parseSecret,
  workspaceId: parseCredential,
  workspaceAuthToken: parseSecret,
};

/** Everything outside of profiles that takes part in the resolution. */
export interface Sources {
  readonly folderFiles: FolderFiles;
  readonly variables: Layer;
  readonly folder: Layer;
  /** The variables, and flags over them, without the profile, the organization, and the output. */
  readonly explicit: Omit<Layer, 'profile' | 'org' | 'output'>;
  readonly org: Sourced | undefined;
  readonly environment: Environment;
}

/** Reads the flags, the environment, and the `.svc.json` of a command. @throws SvcError `usage` */
export async function readSources(dependencies: TargetDependencies): Promise<Sources> {
  const { flags, environment, embedded } = dependencies;
  // A deleted folder hides the files that could make its targets read-only.
  const cwd = embedded ? dependencies.cwd : resolve(dependencies.cwd);
  const folderFiles = dependencies.folderFiles ?? (await readFolderFiles(cwd, environment));
  const { nearest } = folderFiles;
  const { profile, org, output } = nearest?.settings ?? {};
  const folder = createLayer({ profile, org, output }, () => nearest?.path ?? '');
  const {
    profile: variableProfile,
    org: variableOrg,
    output: variableOutput,
    ...connection
  } = readVariables(environment);
  // Settings of a connection that the command does not open may be invalid.
  const variables = createLayer(
    {
      profile: variableProfile,
      org: variableOrg,
      output: variableOutput,
      ...(dependencies.embedded ? {} : connection),
    },
    (name) => SETTING_VARIABLES[name],
  );
  const { baseUrl, caFile, clientCert, clientKey } = flags;
  const given = createLayer({ baseUrl, caFile, clientCert, clientKey }, formatFlag);
  const { profile: _, org: __, output: ___, ...named } = variables;
  return {
    folderFiles,
    variables,
    folder,
    explicit: { ...named, ...given },
    org: variables.org ?? folder.org,
    environment,
  };
}

function formatFlag(name: SettingName): string {
  return `flag --${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function readVariables(environment: Environment): Values {
  const entries = Object.entries(SETTING_VARIABLES).map(([name, variable]) => [
    name,
    stripEnd(environment[variable]) || undefined,
  ]);
  return Object.fromEntries(entries);
}

/** Strips the line break or space that scripts and secret stores leave at the end of a variable. */
function stripEnd(value: string | undefined): string | undefined {
  return value?.replace(/[ \t\r\n]+$/, '');
}

export function sourced(value: string | undefined, source: string): Sourced | undefined {
  return value === undefined ? undefined : { value, source };
}

/** Creates a layer of parsed values, each with its source. @throws SvcError `usage` */
export function createLayer(values: Values, sourceOf: (name: SettingName) => string): Layer {
  const names = Object.keys(SETTING_VARIABLES) as SettingName[];
  const entries = names.flatMap((name) => {
    const [value, source] = [values[name], sourceOf(name)];
    return value === undefined
      ? []
      : [[name, { value: PARSERS[name]?.(value, source) ?? value, source }]];
  });
  return Object.fromEntries(entries);
}
