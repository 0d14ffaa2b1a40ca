import { Document } from 'yaml';
import { DOCUMENT_OPTIONS, formatDocument } from '../file/render.ts';
import { escapeTexts } from '../file/variables.ts';
import type { SettingsPull } from './edit-settings.ts';

/** Name of the schema beside a settings file, which `svc schema settings --out` creates. */
export const SCHEMA_FILE = 'svc.schema.json';

export function createSettings(
  stack: string | undefined,
  { configs, records }: Pick<SettingsPull, 'configs' | 'records'>,
): string {
  const config = Object.fromEntries([...configs].map(([name, { added }]) => [name, added]));
  const lists = [...records].filter(([, list]) => list.length > 0);
  const settings = {
    svc: 1,
    ...(stack !== undefined && { stack }),
    ...(configs.size > 0 && { config }),
    ...Object.fromEntries(lists.map(([kind, list]) => [kind, list.map(({ added }) => added)])),
  };
  const document = new Document(escapeTexts(settings), DOCUMENT_OPTIONS);
  // Editors read the name of the schema from this comment.
  document.commentBefore = ` yaml-language-server: $schema=${SCHEMA_FILE}`;
  return formatDocument(document);
}
