import { maskSecret } from '../../kernel/redact.ts';
import { SECRET_NAMES, VARIABLES } from '../../kernel/variables.ts';
import { missingSettings, noCredential } from '../../profiles/missing-settings.ts';
import type { Settings } from '../../profiles/resolve.ts';
import type { Context } from '../context.ts';
import { pendingRows } from './pending-rows.ts';

const COLUMNS = [
  { header: 'SETTING', field: 'setting', kind: 'whole' },
  { header: 'VALUE', field: 'value', kind: 'whole' },
  { header: 'SOURCE', field: 'source' },
] as const;

const SECRETS: ReadonlySet<string> = new Set(SECRET_NAMES);

/** One setting as `auth status` prints it: `null` where there is no value. A secret comes masked. */
interface SettingRecord {
  readonly setting: string;
  readonly value: string | null;
  readonly source: string | null;
}

/** @throws SvcError `no_credential`, after the settings were printed, when no operation could be called. */
export async function authStatus(context: Context): Promise<void> {
  const settings = await context.settings();
  const printer = await context.printer();
  const rows = [...settingRecords(settings, context.options.showSecrets), ...(await pendingRows(context))];
  await printer.value(rows, { columns: COLUMNS });
  if (context.options.local) return context.note('--local: the embedded service brings its own credentials');
  if (missingSettings(settings).length > 0) throw noCredential(settings);
  if (settings.withheld !== undefined) await context.warn(settings.withheld);
}

function settingRecords(settings: Settings, showSecrets: boolean): readonly SettingRecord[] {
  const names = Object.keys(VARIABLES) as (keyof typeof VARIABLES)[];
  return names.map((setting) => {
    const { value = null, source = null } = settings[setting] ?? {};
    const masked = value !== null && SECRETS.has(setting) && !showSecrets;
    return { setting, value: masked ? maskSecret(value) : value, source };
  });
}
