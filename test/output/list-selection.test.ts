import { describe, expect, it } from 'vitest';
import type { Column } from '../../src/catalog/define.ts';
import type { ListSelection } from '../../src/output/list-selection.ts';
import { printedRecords, printedValue } from './printed.ts';

const columns: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'NAME', field: 'documentName' },
];

const records = [
  { id: 'd10', documentName: 'beta', size: 9, owner: { email: 'b@example.com' } },
  { id: 'd2', documentName: 'Alpha', size: 1200 },
  { id: 'd1', documentName: 'beta', size: 80, owner: { email: 'a@example.com' } },
];

async function idsOf(list: ListSelection, shape = { columns }): Promise<readonly string[]> {
  const text = await printedRecords('ndjson', records, shape, { list });
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).id);
}

const by = (field: string, isDescending = false) => ({ sort: { field, isDescending } });

describe('a sorted list', () => {
  it.each([
    { field: 'size', ids: ['d10', 'd1', 'd2'], why: 'numbers by value' },
    { field: 'id', ids: ['d1', 'd2', 'd10'], why: 'numbers in text by value' },
    {
      field: 'NAME',
      ids: ['d2', 'd10', 'd1'],
      why: 'a header, in any case; equal values in order',
    },
    { field: 'owner.email', ids: ['d1', 'd10', 'd2'], why: 'records without a value last' },
  ])('by $field has $why', async ({ field, ids }) => {
    expect(await idsOf(by(field))).toEqual(ids);
  });

  it('in descending order keeps the order of equal values, and has records without one last', async () => {
    expect(await idsOf(by('name', true))).toEqual(['d10', 'd1', 'd2']);
    expect(await idsOf(by('owner.email', true))).toEqual(['d10', 'd1', 'd2']);
  });

  it('is the same in every format, also by fields that are not printed', async () => {
    const options = { list: by('size'), fields: ['id'] };
    expect(await printedRecords('csv', records, { columns }, options)).toBe(
      'id\r\nd10\r\nd1\r\nd2\r\n',
    );
    expect(await printedRecords('table', records, { columns }, options)).toBe('ID\nd10\nd1\nd2\n');
  });

  it('can be sorted by the records and by the rows of its table', async () => {
    const rows = records.map(({ id, size }) => ({ id, state: size > 50 ? 'done' : 'new' }));
    const table = { rows, columns: [{ header: 'ID', field: 'id' }] } as const;
    for (const field of ['size', 'state']) {
      const list = { ...by(field, true), limit: 1 };
      const sorted = field === 'size' ? 'd2' : 'd10';
      expect(await printedValue('table', records, { table }, { list })).toBe(`ID\n${sorted}\n`);
      const json = JSON.parse(await printedValue('json', records, { table }, { list }));
      expect(json).toEqual(records.filter(({ id }) => id === sorted));
    }
  });

  it('rejects an unknown field, and suggests a similar one', async () => {
    await expect(idsOf(by('nmae'))).rejects.toMatchObject({
      failure: 'usage',
      message: "--sort: no field 'nmae' in the result",
      hint: "did you mean 'name'?",
    });
    expect(await printedRecords('json', [], { columns }, { list: by('nmae') })).toBe('[]\n');
  });

  it('does not reveal the order of masked secrets', async () => {
    const tokens = [
      { id: 'k1', token: 'zzzz-secret-zzzz' },
      { id: 'k2', token: 'aaaa-secret-aaaa' },
    ];
    const shape = { secrets: [['*', 'token']] };
    const sorted = await printedRecords('ndjson', tokens, shape, { list: by('token') });
    expect(sorted.indexOf('k1')).toBeLessThan(sorted.indexOf('k2'));
  });
});

describe('a limited list', () => {
  it('prints the first records, after sorting, and a message that more exist', async () => {
    const notes: string[] = [];
    const note = async (text: string) => void notes.push(text);
    const list = { ...by('size', true), limit: 2 };
    expect(await printedRecords('csv', records, { columns }, { list, note, fields: ['id'] })).toBe(
      'id\r\nd2\r\nd1\r\n',
    );
    expect(notes).toEqual(['more results: 2 shown; to show all, add --all']);
  });

  it('has no message if it is complete', async () => {
    const notes: string[] = [];
    const note = async (text: string) => void notes.push(text);
    await printedRecords('csv', records, { columns }, { list: { limit: 3 }, note });
    expect(notes).toEqual([]);
  });

  it('has a default limit unless all records are selected', async () => {
    const shape = { columns, defaultLimit: 1 };
    expect(await idsOf({}, shape)).toEqual(['d10']);
    expect(await idsOf({ limit: 2 }, shape)).toEqual(['d10', 'd2']);
    expect(await idsOf({ all: true }, shape)).toEqual(['d10', 'd2', 'd1']);
  });
});
