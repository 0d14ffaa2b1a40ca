import { resolve } from 'node:path';
import type { JobTarget, TargetFlags } from '../../bulk/journal/job-description.ts';
import { type ConnectionFiles, selectConnectionFiles } from '../../client/target.ts';
import type { CommandService, ConnectedCommand, GlobalOptions } from '../context.ts';
import { optionalProperty } from '../options.ts';
import { EMBEDDED_SERVICE } from '../service-flags.ts';

export async function describeJobTarget({
  options,
  cwd,
  target: resolveTarget,
}: ConnectedCommand): Promise<JobTarget> {
  const { embedded, profile, baseUrl, apiKey } = await resolveTarget();
  if (embedded) {
    const { displayStoreLocation } = await import('../../service/store/location.ts');
    const store = embedded.store === undefined ? null : displayStoreLocation(embedded.store);
    return { profile: null, origin: EMBEDDED_SERVICE, apiKey: null, store };
  }
  const target = {
    profile: profile?.value ?? null,
    origin: baseUrl?.value ?? '',
    apiKey: apiKey?.value ?? null,
  };
  const flags: TargetFlags = {
    ...optionalProperty('baseUrl', options.baseUrl),
    ...connectionFilesOf(options, cwd),
    ...(options.insecureHttp && { insecureHttp: true as const }),
  };
  return Object.keys(flags).length > 0 ? { ...target, flags } : target;
}

/** Returns the host of the service as the history names it. */
export async function describeHost({ target }: Pick<CommandService, 'target'>): Promise<string> {
  const { embedded, baseUrl } = await target();
  if (embedded) return EMBEDDED_SERVICE;
  return (baseUrl && URL.parse(baseUrl.value)?.host) ?? '';
}

/** Returns the absolute paths of the files that the connection needs, for a later command. */
export function connectionFilesOf(options: GlobalOptions, cwd: string): ConnectionFiles {
  return selectConnectionFiles(options, (path) => resolve(cwd, path));
}
