import type { OperationEntry } from '../../catalog/manifest.ts';
import { valueAt, withValue } from '../../kernel/field-path.ts';
import { upperFirst } from '../../kernel/first-letter.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { idScopeOf, readCachedIds } from '../ids/id-cache.ts';
import { kindOfField } from '../ids/id-collector.ts';
import { canAsk } from '../terminal/terminal.ts';

export async function pickMissingIds(
  context: Context,
  { flags, argument }: OperationEntry,
  data: Record<string, unknown>,
  invocation: Invocation,
): Promise<void> {
  for (const { name, path, required, ofRecord, kind } of flags) {
    if (!required || ofRecord || kind !== 'text' || valueAt(data, path) !== undefined) continue;
    const id = await pickKnownId(context, path.at(-1) ?? '', `--${name}`);
    if (id !== undefined) Object.assign(data, withValue(data, path, id));
  }
  if (!argument || invocation.arguments.length > 0 || data[argument.field] !== undefined) return;
  const id = await pickKnownId(context, argument.field, `<${argument.field}>`);
  if (id !== undefined) data[argument.field] = id;
}

export async function pickKnownId(
  context: Context,
  field: string,
  name: string,
): Promise<string | undefined> {
  const kind = kindOfField(field);
  if (kind === undefined || !canAsk(context)) return undefined;
  const known = await readCachedIds(context, idScopeOf(await context.target()), kind);
  if (known.length === 0) return undefined;
  const message = `${upperFirst(kind)} ID (${name})`;
  return (await context.prompter()).pick({
    message,
    choices: known.map((value) => ({ value })),
    allowsOther: true,
  });
}
