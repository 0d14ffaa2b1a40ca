import { commandWithData } from '../../catalog/command-text.ts';
import type { Operation } from '../../catalog/define.ts';
import { manifest } from '../../catalog/manifest.ts';
import { redactMet } from '../../kernel/redact.ts';
import type { Context } from '../context.ts';
import { programOf } from '../line/program-text.ts';
import { recordsOf } from './records.ts';
import type { Work } from './work.ts';

/** Characters of a command line beyond which it helps nobody. */
const LONGEST_COMMAND = 1_000;

/**
 * The command line that sends the records of a run once more, under the ids that were made up for them, where that does
 * no harm; undefined where it does, and for one that would be too long or hold a secret.
 */
export async function commandAgain(context: Context, { calls, input }: Work): Promise<string | undefined> {
  const { data, fields, operation } = calls;
  if (fields.field === undefined || operation.effect === 'once') return undefined;
  const records: unknown[] = [];
  for await (const block of recordsOf(input)) for (const { json } of block) records.push(JSON.parse(json));
  const line = commandWithData(operation.command, { ...data, [fields.field]: records }, programOf(context.options));
  const whole = line + versionFlag(operation);
  return whole.length <= LONGEST_COMMAND && redactMet(whole) === whole ? whole : undefined;
}

/** Needed where the command means another version unless it is told. */
function versionFlag({ command, path }: Operation): string {
  const usual = manifest.find((entry) => entry.command.join() === command.join());
  const [, version] = path.split('/');
  return usual?.version === version ? '' : ` --api-version ${version}`;
}
