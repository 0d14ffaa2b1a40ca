import type { SettingsPull } from './edit-settings.ts';
import { renderBlock } from './render.ts';
import { escapeTexts } from './variables.ts';

export function createSettings(
  stack: string | undefined,
  { configs, records }: Pick<SettingsPull, 'configs' | 'records'>,
) {
  const config = Object.fromEntries([...configs].map(([name, { added }]) => [name, added]));
  const lists = [...records].filter(([, list]) => list.length > 0);
  const fields = [
    { svc: 1, ...(stack !== undefined && { stack }) },
    ...(configs.size > 0 ? [{ config }] : []),
    ...lists.map(([kind, list]) => ({ [kind]: list.map(({ added }) => added) })),
  ];
  return fields.map((part) => `${renderBlock(escapeTexts(part)).join('\n')}\n`).join('');
}
