import type { Column } from '../../catalog/define.ts';
import { isObject } from '../../kernel/json.ts';
import { headerOf } from '../../output/columns.ts';
import type { View } from '../../output/renderer.ts';
import { createTableRenderer } from '../../output/table.ts';
import { formatTime } from '../../output/times.ts';
import type { Explanation, StoredRecord } from '../../service/development/reading/answers.ts';
import { STORED_KINDS, type StoredKind } from '../../service/development/reading/kinds.ts';
import { parseKind } from '../../service/development/reading/list.ts';
import { createReader, type Reader } from '../../service/development/reading/reader.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { withStore } from '../embedded/store.ts';
import { parseWholeNumber } from '../options.ts';
import { commandForService } from '../service-flags.ts';
import { DEFAULT_LIST_LIMIT } from './flags.ts';
import type { ListRecordsFlags, ShowRecordFlags } from './reading-flags.ts';

export async function listLocalRecords(
  context: Context,
  { arguments: [name = ''], options }: Invocation<ListRecordsFlags>,
) {
  const kindName = parseKind(name);
  const kind: StoredKind = STORED_KINDS[kindName];
  const limit = parseWholeNumber('--limit', options.limit, 1) ?? DEFAULT_LIST_LIMIT;
  const filter = {
    organization: await findOrganizationId(context, options.org),
    match: options.match,
    limit,
  };
  const { records, more } = await readStore(context, (reader) => reader.list(kindName, filter));
  const columns = columnsOf(kind, filter.organization !== undefined);
  const secrets = kind.secret === undefined ? [] : [['*', kind.secret]];
  await (await context.printer()).value(records, { table: { rows: records, columns }, secrets });
  const plural = name.replace('-', ' ');
  if (records.length === 0) await context.note(`no ${plural} found`);
  if (more) await context.note(`more ${plural} exist; use --limit ${limit * 10} to show more`);
}

/**
 * Returns the columns of a kind. Narrow terminals hide columns from right to left, except the first
 * one.
 */
function columnsOf({ fields, isOfKey }: StoredKind, isOneOrganization: boolean): readonly Column[] {
  const [first = '', ...others] =
    isOfKey || isOneOrganization ? fields : [fields[0] ?? '', 'organizationId', ...fields.slice(1)];
  const column = (field: string): Column => ({
    header: headerOf(field.replace(/^.*\./, '')).replace(/ ID$/, ''),
    field,
    kind: kindOf(field),
  });
  return [
    column(first),
    ...others.map((field, at) => ({ ...column(field), hideOrder: others.length - at })),
  ];
}

function kindOf(field: string): NonNullable<Column['kind']> {
  if (/(At|Updated?|timestamp)$/.test(field)) return 'time';
  if (/^(state|status)$/.test(field)) return 'state';
  return /(^id|Id)$/.test(field) ? 'whole' : 'text';
}

export async function showLocalRecord(
  context: Context,
  { arguments: [kind = '', id = ''], options }: Invocation<ShowRecordFlags>,
): Promise<void> {
  const organization = await findOrganizationId(context, options.org);
  const cards = await readStore(context, (reader) => reader.show({ kind, id, organization }));
  await (await context.printer()).value(cards, {
    renderText: async (view) => {
      const { value } = await createTableRenderer(view);
      return (await Promise.all(cards.map(async (card) => value(textFields(card, view))))).join(
        '\n',
      );
    },
  });
}

/** Formats related records as phrases such as `d1 (editor)`, and omits empty fields. */
function textFields(card: StoredRecord, { display }: View): object {
  const textOf = (value: unknown): unknown => {
    if (!isObject(value)) return value;
    const { userId, documentId, level, id, addedAt: _, ...details } = value;
    const { role, state, expiresAt, at, ...others } = details;
    const [expiry, time] = [expiresAt, at].map((moment) => moment && formatTime(moment, display));
    const shown = [
      role,
      expiry && `${state === 'expired' ? state : 'expires'} ${expiry}`,
      ...Object.values(others),
      time,
    ];
    const name = [userId !== card['userId'] && userId, documentId, level, id]
      .filter(Boolean)
      .join(' ');
    return `${name} (${shown.filter(Boolean).join(', ')})`;
  };
  const fields = Object.entries(card).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(textOf) : textOf(value),
  ]);
  return Object.fromEntries(fields.filter(([, value]) => String(value ?? '') !== ''));
}

/** Summarizes an explanation: `u1 can open d1 as editor`. */
export function describeAccess({ user, document, role, disabled }: Explanation): string {
  if (disabled) return `${user} cannot open ${document}: the document is disabled`;
  return role ? `${user} can open ${document} as ${role}` : `${user} cannot open ${document}`;
}

export async function findOrganizationId(
  context: Context,
  flag: string | undefined,
): Promise<string | undefined> {
  return flag ?? (await context.openSettings()).org?.value;
}

/** Reads the store of `--local`. Hints contain the flags that select it. */
export function readStore<Result>(
  context: Context,
  work: (reader: Reader) => Promise<Result>,
): Promise<Result> {
  const { clock: realClock, options } = context;
  const commandOf = (words: readonly string[]) =>
    commandForService({ ...options, local: true }, ...words);
  return withStore(context, 'read', (store, apiKey, { development }) =>
    work(createReader({ store, apiKey, development, realClock, commandOf })),
  );
}
