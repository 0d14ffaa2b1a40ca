import type { StoredKindName } from '../../catalog/local/stored-kinds.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { valueAt, withValue } from '../../kernel/field-path.ts';
import { upperFirst } from '../../kernel/first-letter.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { type IdKind, idScopeOf, readCachedIds } from '../ids/id-cache.ts';
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
    const id = await pickKnownId(context, path.at(-1) ?? '', `--${name}`, data);
    if (id !== undefined) Object.assign(data, withValue(data, path, id));
  }
  if (!argument || invocation.arguments.length > 0 || data[argument.field] !== undefined) return;
  const id = await pickKnownId(context, argument.field, `<${argument.field}>`, data);
  if (id !== undefined) data[argument.field] = id;
}

/**
 * Asks for an ID: of the records in the embedded service's store, or of those that this machine
 * knows. Returns `undefined` without any.
 * @param data fields that are given, such as the organization
 */
export async function pickKnownId(
  context: Context,
  field: string,
  name: string,
  data: Readonly<Record<string, unknown>> = {},
): Promise<string | undefined> {
  const kind = kindOfField(field);
  if (kind === undefined || !canAsk(context)) return undefined;
  const known = await findKnownIds(context, kind, data['organizationId']);
  if (known.length === 0) return undefined;
  const message = `${upperFirst(kind)} ID (${name})`;
  return (await context.prompter()).pick({
    message,
    choices: known.map((value) => ({ value })),
    allowsOther: true,
  });
}

const STORED_KINDS = {
  organization: 'organizations',
  folder: 'folders',
  document: 'documents',
  user: 'users',
  group: 'groups',
  agent: 'agents',
  endpoint: 'endpoints',
} as const satisfies Record<IdKind, StoredKindName>;

/** Finds IDs, the latest ones first. */
async function findKnownIds(
  context: Context,
  kind: IdKind,
  organizationId: unknown,
): Promise<readonly string[]> {
  const cached = await readCachedIds(context, idScopeOf(await context.target()), kind);
  if (!context.options.local) return cached;
  const organization = typeof organizationId === 'string' ? organizationId : undefined;
  const { explainRefusals } = await import('../connection/embedded-store.ts');
  const stored = await explainRefusals(
    'read',
    async () => (await (await context.embedded())?.listIds(STORED_KINDS[kind], organization)) ?? [],
  );
  const existing = new Set(stored);
  return [...new Set([...cached.filter((id) => existing.has(id)), ...stored])];
}
