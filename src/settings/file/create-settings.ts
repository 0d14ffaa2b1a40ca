import type { ConfigName } from '../kinds.ts';
import type { PulledList, PulledRecord } from '../live/pulled-records.ts';
import { renderBlock } from './render.ts';
import { escapeTexts } from './variables.ts';

interface NewSettings {
  readonly stack: string | undefined;
  readonly configs: ReadonlyMap<ConfigName, PulledRecord>;
  readonly records: ReadonlyMap<PulledList, readonly PulledRecord[]>;
}

export function createSettings({ stack, configs, records }: NewSettings): string {
  const config = Object.fromEntries([...configs].map(([name, { added }]) => [name, added]));
  const lists = [...records].filter(([, list]) => list.length > 0);
  const fields = [
    { svc: 1, ...(stack !== undefined && { stack }) },
    ...(configs.size > 0 ? [{ config }] : []),
    ...lists.map(([kind, list]) => ({ [kind]: list.map(({ added }) => added) })),
  ];
  return fields.map((part) => `${renderBlock(escapeTexts(part)).join('\n')}\n`).join('');
}
