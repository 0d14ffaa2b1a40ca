import { parseSettings } from '../../../src/settings/file/read-settings.ts';
import type { ConfigName } from '../../../src/settings/kinds.ts';
import type { LiveRecord, LiveRecords } from '../../../src/settings/live-records.ts';
import { editSettings } from '../../../src/settings/pull/edit-settings.ts';
import { wasRead } from '../../../src/settings/pull/pulled-query.ts';
import { toPulledConfigs, toPulledRecords } from '../../../src/settings/pull/pulled-records.ts';

/** Live records. The folders are those of organization `o`. */
export interface World {
  readonly configs?: { readonly [Name in ConfigName]?: LiveRecord };
  readonly endpoints?: readonly LiveRecord[];
  readonly folders?: readonly LiveRecord[];
}

/** Returns what a pull of these live records uses. */
export function readWorld(world: World) {
  const live = createLive(world);
  const kinds = new Set(Object.keys(world));
  return {
    live,
    configs: toPulledConfigs(live),
    records: new Map([...toPulledRecords(live)].filter(([kind]) => kinds.has(kind))),
  };
}

function createLive({ configs = {}, endpoints, folders }: World): LiveRecords {
  const byId = new Map(folders?.map((folder) => [String(folder['folderId']), folder]));
  return {
    configs: new Map(
      Object.entries(configs).map(([name, records]) => [name as ConfigName, { records }]),
    ),
    ...(endpoints && { endpoints: { records: endpoints } }),
    folders: new Map(folders ? [['o', { records: byId }]] : []),
    documents: new Map(),
    agents: { records: new Map() },
    reads: 0,
  };
}

/** Parses a settings file that is named svc.yaml. */
export function parse(text: string, environment?: string) {
  const name = 'svc.yaml';
  const files = [{ name, folder: '/', text }];
  return parseSettings({ name, files, environment, signal: new AbortController().signal });
}

/** Brings live records into a file. Returns its new text, and the differences that remain. */
export async function pull(text: string, world: World, environment?: string) {
  const { live, ...pulled } = readWorld(world);
  const content = await parse(text, environment);
  const { texts, notes, affected } = await editSettings({
    ...pulled,
    content,
    environment,
    wasRead: (kind, record) => wasRead(live, kind, record),
    signal: new AbortController().signal,
  });
  const [edited] = texts.values();
  return { text: edited ?? text, notes, affected };
}

/** An endpoint as the service returns it. */
export const endpoint = (uid: string | null, fields: LiveRecord = {}): LiveRecord => ({
  id: `ep_${uid}`,
  uid,
  url: `https://x.example/${uid}`,
  description: null,
  filterTypes: null,
  channels: null,
  disabled: false,
  rateLimit: null,
  createdAt: 'now',
  updatedAt: 'now',
  ...fields,
});

/** A folder of organization `o` as the service returns it. */
export const folder = (folderId: string, fields: LiveRecord = {}): LiveRecord => ({
  organizationId: 'o',
  folderId,
  folderName: folderId,
  parentFolderId: 'root',
  accessType: 'public',
  inheritAccessFromParent: true,
  ancestors: [],
  apiKey: 'k',
  createdAt: 1,
  ...fields,
});
