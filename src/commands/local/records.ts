import type { Column } from '../../catalog/define.ts';
import type { StoredRecord } from '../../catalog/local/answers.ts';
import { DEFAULT_LIMIT } from '../../catalog/local/default-limit.ts';
import { SECRET_FIELDS, type StoredKindName } from '../../catalog/local/stored-kinds.ts';
import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { headerOf } from '../../output/columns.ts';
import { describeMore } from '../../output/list-selection.ts';
import type { ResultShape } from '../../output/printer.ts';
import type { View } from '../../output/renderer.ts';
import { createTableRenderer } from '../../output/table.ts';
import { formatTime } from '../../output/times.ts';
import { STORED_KINDS, type StoredKind } from '../../service/local/reading/kinds.ts';
import { watchRecords } from '../terminal/watch-records.ts';
import { createLocalCommand } from './operation.ts';

export const listLocalRecords = createLocalCommand('local.list', {
  run: async ({ context, inputs: [{ kind, org }], invocation, run }) => {
    const columns = columnsOf(STORED_KINDS[kind], org !== undefined);
    const { [kind]: secret } = SECRET_FIELDS;
    const secrets = secret === undefined ? [] : [['*', secret]];
    const shapeOf = (rows: readonly StoredRecord[]): ResultShape => ({
      table: { rows, columns },
      secrets,
      defaultLimit: DEFAULT_LIMIT,
    });
    const { envelope } = context.options;
    for (const flag of ['sort', 'watch'])
      if (envelope && invocation.options[flag] !== undefined)
        throw new SvcError('usage', `--${flag} and --envelope cannot be combined`);
    if (invocation.options.watch) {
      const read = async () => (await run())[0].records;
      return watchRecords(context, { read, idOf: JSON.stringify, shapeOf });
    }
    const [{ records, more }] = await run();
    const printer = await context.printer();
    const plural = kind.replace('-', ' ');
    if (envelope) {
      const result = { status: 'success', message: `Stored ${plural}.`, data: records };
      await printer.value(result, { secrets: secrets.map((path) => ['data', ...path]) });
    } else await printer.value(records, shapeOf(records));
    if (records.length === 0) await context.note(NONE_FOUND[kind] ?? `no ${plural} found`);
    if (more) await context.note(describeMore(records.length));
  },
});

/** Messages for kinds whose name is not a plural. */
const NONE_FOUND: { readonly [Kind in StoredKindName]?: string } = {
  presence: 'no users are present',
  crdt: 'no editor content found',
};

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

export const showLocalRecord = createLocalCommand('local.show', {
  run: async ({ context, run }) => {
    const [{ records: cards }] = await run();
    await (await context.printer()).value(cards, {
      renderText: async (view) => {
        const { value } = await createTableRenderer(view);
        const texts = await Promise.all(cards.map(async (card) => value(textFields(card, view))));
        return texts.join('\n');
      },
    });
  },
});

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
