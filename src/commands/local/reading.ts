import type { Column } from '../../catalog/define.ts';
import { isObject } from '../../kernel/is-object.ts';
import { headerOf } from '../../output/columns.ts';
import { createTableRenderer } from '../../output/table.ts';
import type { StoredRecord } from '../../service/development/reading/answers.ts';
import { RECORD_KINDS, type RecordKind } from '../../service/development/reading/kinds.ts';
import { parseKind } from '../../service/development/reading/list.ts';
import { createReader, type Reader } from '../../service/development/reading/reader.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { withStore } from '../embedded/store.ts';
import { parseWholeNumber } from '../option-values.ts';
import { commandForService } from '../service-flags.ts';
import { DEFAULT_LIST_LIMIT } from './flags.ts';
import type { ListRecordsFlags, ShowRecordFlags } from './reading-flags.ts';

export async function listLocalRecords(
  context: Context,
  { arguments: [name = ''], options }: Invocation<ListRecordsFlags>,
): Promise<void> {
  const kindName = parseKind(name);
  const kind: RecordKind = RECORD_KINDS[kindName];
  const limit = parseWholeNumber('--limit', options.limit, 1) ?? DEFAULT_LIST_LIMIT;
  const filter = { organization: await findOrganizationId(context, options.org), match: options.match, limit };
  const { records, more } = await readStore(context, (reader) => reader.list(kindName, filter));
  const columns = columnsOf(kind, filter.organization !== undefined);
  const secrets = kind.secret === undefined ? [] : [['*', kind.secret]];
  await (await context.printer()).value(records, { table: { rows: records, columns }, secrets });
  const plural = name.replace('-', ' ');
  if (records.length === 0) await context.note(`no ${plural} found`);
  if (more) await context.note(`more ${plural} exist; use --limit ${limit * 10} to show more`);
}

/** Describes the columns of a kind. The first one is always shown; a narrow terminal hides the last ones first. */
function columnsOf({ fields, isOfKey }: RecordKind, isOneOrganization: boolean): readonly Column[] {
  const [first = '', ...others] =
    isOfKey || isOneOrganization ? fields : [fields[0] ?? '', 'organizationId', ...fields.slice(1)];
  const column = (field: string): Column => ({
    header: headerOf(field.replace(/^.*\./, '')).replace(/ ID$/, ''),
    field,
    kind: kindOf(field),
  });
  return [column(first), ...others.map((field, at) => ({ ...column(field), hideOrder: others.length - at }))];
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
      return (await Promise.all(cards.map(async (card) => value(textFields(card))))).join('\n');
    },
  });
}

/** Shows records as phrases, without the fields that are equal in the card. Omits empty fields. */
function textFields(card: StoredRecord): object {
  const own = (value: object) => Object.fromEntries(Object.entries(value).filter(([name, inner]) => card[name] !== inner));
  const textOf = (value: unknown): unknown => (isObject(value) ? phraseOf(own(value)) : value);
  const fields = Object.entries(card).map(([name, value]) => [name, Array.isArray(value) ? value.map(textOf) : textOf(value)]);
  return Object.fromEntries(fields.filter(([, value]) => value !== null && String(value) !== ''));
}

/** Formats a record as text: `folder plans (editor, expired 2026-01-01T00:00:00.000Z)`. */
function phraseOf({ userId, documentId, level, id, addedAt: _, ...details }: Record<string, unknown>): string {
  const { role, state, expiresAt, ...others } = details;
  const time = expiresAt && `${state === 'expired' ? state : 'expires'} ${expiresAt}`;
  const shown = [role, time, ...Object.values(others)].filter(Boolean).join(', ');
  return [userId, documentId, level, id, shown && `(${shown})`].filter(Boolean).join(' ');
}

export async function findOrganizationId(context: Context, flag: string | undefined): Promise<string | undefined> {
  return flag ?? (await context.openSettings()).org?.value;
}

/** Reads the store of `--local`. Hints contain the flags that select it. */
export function readStore<Result>(context: Context, work: (reader: Reader) => Promise<Result>): Promise<Result> {
  const { clock: realClock, options } = context;
  const commandOf = (words: readonly string[]) => commandForService({ ...options, local: true }, ...words);
  return withStore(context, 'read', (store, apiKey, { development }) =>
    work(createReader({ store, apiKey, development, realClock, commandOf })),
  );
}
