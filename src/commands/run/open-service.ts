import type { Environment } from '../../kernel/folders.ts';
import { once } from '../../kernel/once.ts';
import type { FolderFiles } from '../../profiles/folder-file.ts';
import type { CommandTarget, Sourced } from '../../profiles/target.ts';
import { createPlanApprovals, findReadOnly } from '../connection/protections.ts';
import type { CommandService, Context, GlobalOptions, ProcessEnvironment } from '../context.ts';
import { optionalProperty } from '../options.ts';

/** Properties of a service that a reopened context takes over. */
export interface ServiceOrigin {
  /** Whether the command uses only the embedded service, and can run without readable settings. */
  readonly isLocalOnly: boolean;
  /** The credential that the command sends. */
  readonly credential: 'apiKey' | 'workspaceId';
  readonly fileTarget: Context['fileTarget'];
  /** The target, if it was resolved before. */
  readonly target?: (() => Promise<CommandTarget>) | undefined;
  readonly folderFiles?: (() => Promise<FolderFiles>) | undefined;
}

export interface OpenedService extends CommandService {
  /** Output format in the settings. */
  output(): Promise<Sourced | undefined>;
  readonly folderFiles: () => Promise<FolderFiles>;
  close(error?: unknown): Promise<void>;
}

/**
 * Opens the target of a command and the connection to it, each on first use.
 * @param context returns the context that the service belongs to
 */
export function openService(
  processEnvironment: ProcessEnvironment,
  options: GlobalOptions,
  origin: ServiceOrigin,
  context: () => Context,
): OpenedService {
  const { environment } = processEnvironment;
  const isLocal = options.local || origin.isLocalOnly;
  const folderFiles = origin.folderFiles ?? once(() => readFolderFilesOnce(context()));
  const { cwd, folders, signal } = processEnvironment;
  const dependencies = once(async () => ({
    environment,
    cwd,
    folders,
    signal,
    flags: {
      ...optionalProperty('profile', options.profile),
      ...optionalProperty('baseUrl', options.baseUrl),
      ...optionalProperty('caFile', options.caFile),
      ...optionalProperty('clientCert', options.clientCert),
      ...optionalProperty('clientKey', options.clientKey),
    },
    ...(isLocal && { embedded: optionalProperty('store', options.store) }),
    fileTarget: origin.fileTarget,
    credential: origin.credential,
    folderFiles: await folderFiles(),
  }));
  const load = () => import('../../profiles/resolve.ts');
  const target =
    origin.target ?? once(async () => (await load()).resolveTarget(await dependencies()));
  const connection = once(async () =>
    (await import('../connection/connect.ts')).connect(context()),
  );
  let isConnecting = false;
  const connect = () => {
    isConnecting = true;
    return connection();
  };
  return {
    target,
    targetWithSecrets: once(async () => (await target()).withSecrets()),
    folderFiles,
    output: async () => (await load()).resolveOutput(await dependencies(), target()),
    readOnly: once(async () => findReadOnly(await target())),
    approvals: once(async () => {
      const resolved = await target();
      if (!resolved.approvals) return undefined;
      return createPlanApprovals(resolved, resolved.approvals);
    }),
    tracing: once(async () => {
      if (!namesCollector(environment)) return undefined;
      const { recordSpans } = await import('../connection/record-spans.ts');
      return recordSpans(environment);
    }),
    client: async () => (await connect()).client,
    embedded: async () => (await connect()).embedded,
    close: async (error) => {
      // A failed connection has nothing to close.
      if (isConnecting) await (await connection().catch(() => undefined))?.close(error);
    },
  };
}

/** Reads the files of the folder, and warns about those that are not honored. */
async function readFolderFilesOnce({ cwd, environment, warn }: Context): Promise<FolderFiles> {
  const { readFolderFiles } = await import('../../profiles/folder-file.ts');
  const files = await readFolderFiles(cwd, environment);
  for (const warning of files.warnings) await warn(warning);
  return files;
}

/** Whether the environment names a collector of spans. Without one, nothing more is loaded. */
function namesCollector(environment: Environment): boolean {
  return Boolean(
    environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
  );
}
