import { maskSecret } from '../../kernel/redact.ts';
import { SECRET_SETTINGS, SETTING_VARIABLES } from '../../kernel/variables.ts';
import { createNotConfiguredError, listMissingSettings } from '../../profiles/missing-settings.ts';
import type { Settings } from '../../profiles/resolve.ts';
import type { Context } from '../context.ts';
import { STATUS_COLUMNS } from './columns.ts';
import { createPendingRows } from './pending-rows.ts';

const SECRETS: ReadonlySet<string> = new Set(SECRET_SETTINGS);

/** One setting in the output of `auth status`. Missing values are null, and secrets are masked. */
interface SettingRecord {
  readonly setting: string;
  readonly value: string | null;
  readonly source: string | null;
}

/** Prints all settings and their sources. @throws SvcError `no_credential` if no operation can be called, after printing */
export async function authStatus(context: Context): Promise<void> {
  const settings = await context.settings();
  const printer = await context.printer();
  const rows = [...settingRecords(settings, context.options.showSecrets), ...(await createPendingRows(context))];
  await printer.value(rows, { columns: STATUS_COLUMNS });
  if (context.options.local) return context.note('--local: the embedded service has its own credentials');
  if (listMissingSettings(settings).length > 0) throw createNotConfiguredError(settings);
  if (settings.missingReason !== undefined) await context.warn(settings.missingReason);
}

function settingRecords(settings: Settings, showSecrets: boolean): readonly SettingRecord[] {
  const names = Object.keys(SETTING_VARIABLES) as (keyof typeof SETTING_VARIABLES)[];
  return names.map((setting) => {
    const { value = null, source = null } = settings[setting] ?? {};
    const masked = value !== null && SECRETS.has(setting) && !showSecrets;
    return { setting, value: masked ? maskSecret(value) : value, source };
  });
}
