import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { manifest, type OperationEntry } from '../../src/catalog/manifest.ts';
import { LONGEST_TEXT } from '../../src/service/body.ts';
import type { Database } from '../../src/service/store/store.ts';
import { goodCalls } from './good-calls.ts';
import { isPostgres } from './store-place.ts';
import { post, serviceWorld, type World } from './world.ts';

type Path = readonly (string | number)[];

interface Trial {
  readonly world: World;
  readonly good: object;
  /** Every field of the good call, and everything inside it. */
  readonly fields: readonly Path[];
  send(data: unknown): Promise<{ readonly http: number; readonly message: string; readonly paths: readonly Path[] }>;
}

async function trialOf({ name, path, auth }: OperationEntry): Promise<Trial> {
  const world = await serviceWorld();
  const good = (await goodCalls(world))[name];
  const headers = auth === 'workspace' ? world.workspaceHeaders() : world.keyHeaders();
  return {
    world,
    good,
    fields: [...pathsIn(good)],
    send: async (data) => {
      const text = typeof data === 'string' ? data : JSON.stringify({ data });
      const response = await post(world.fetch, path, text, headers);
      const { result, error } = JSON.parse(await response.text());
      const issues: readonly { readonly path: Path }[] = error?.details?.issues ?? [];
      return {
        http: response.status,
        message: error?.message ?? result.message,
        paths: issues.map((issue) => issue.path),
      };
    },
  };
}

function* pathsIn(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    yield* pathsIn(inner, [...path, Array.isArray(value) ? Number(key) : key]);
  }
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], value);
}

/** The call with another value in a field. */
function having(good: object, path: Path, value: unknown): object {
  const data = structuredClone(good);
  const holder = at(data, path.slice(0, -1)) as Record<string | number, unknown>;
  holder[path.at(-1) ?? ''] = value;
  return data;
}

/** Fields that take anything, and what is inside them: the interface says nothing about it. */
const FREE =
  /^(data|(activities\.0\.(changes\.status|entityData|entityTargetData|displayMessageTemplateData))|notificationSourceData|displayHeadlineMessageTemplateData|context\.access)\./;
const ANY = /\.(entityData|entityTargetData|from|to)$/;
const isFree = (path: Path) => FREE.test(path.join('.')) || ANY.test(`.${path.join('.')}`);

/** Values that a field cannot have, by what it should be. */
function wrongFor(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return ['text', 7, { 0: value[0] }, null];
  if (typeof value === 'object') return ['text', 7, [value], null];
  if (typeof value === 'string') return [7, true, { toString: 'text' }, [value], null];
  return ['text', {}, [value], null];
}

const isWithin = (path: Path, field: Path) =>
  path.slice(0, field.length).join('.') === field.slice(0, path.length).join('.');

async function tableNames(database: Database): Promise<readonly string[]> {
  const query = isPostgres
    ? sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`
    : sql<{ name: string }>`select name from sqlite_master where type = 'table'`;
  return (await query.execute(database)).rows.map(({ name }) => name);
}

/** Everything that the store holds. */
async function contentsOf({ store }: World): Promise<string> {
  return store.read(async (database) => {
    const rows: string[] = [];
    for (const name of await tableNames(database)) {
      const found = await database
        .selectFrom(name as 'users')
        .selectAll()
        .execute();
      rows.push(name, ...found.map((row) => JSON.stringify(row)).sort());
    }
    return rows.join('\n');
  });
}

/** Each refusal names the path of the field. */
async function expectWrongTypesRefused({ send, good, fields }: Trial): Promise<void> {
  for (const path of fields.filter((field) => !isFree(field))) {
    for (const wrong of wrongFor(at(good, path))) {
      const { http, paths } = await send(having(good, path, wrong));
      const tried = `${path.join('.')} = ${JSON.stringify(wrong)}`;
      expect(http, tried).toBe(400);
      expect(
        paths.some((found) => isWithin(found, path)),
        `${tried}: ${JSON.stringify(paths)}`,
      ).toBe(true);
    }
  }
}

async function expectLongTextsRefused({ send, good, fields }: Trial, { auth }: OperationEntry): Promise<void> {
  const [text, ...others] = fields.filter((path) => typeof at(good, path) === 'string');
  const sizes = [[text, 10_000_000] as const, ...others.slice(0, 2).map((path) => [path, LONGEST_TEXT + 1] as const)];
  for (const [path, size] of sizes) {
    if (!path) continue;
    const { http, paths } = await send(having(good, path, 'x'.repeat(size)));
    // Without credentials, so much of a body is not even read.
    expect([http, paths]).toEqual([400, auth === 'none' ? [] : [path]]);
  }
}

async function expectDeepNestingRefused({ send, good, fields }: Trial): Promise<void> {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  for (const path of [['extra'], ...fields.slice(0, 2)]) {
    const text = JSON.stringify({ data: having(good, path, 'DEEP') }).replace('"DEEP"', deep);
    expect((await send(text)).http, path.join('.')).toBe(400);
  }
}

const OPERATIONS = manifest.map((entry) => [entry.name, entry] as const);

describe.each(OPERATIONS)('%s', (_, entry) => {
  it('takes every field that it says it takes', async () => {
    const { send, good, world } = await trialOf(entry);
    const { http, message } = await send(good);
    expect(http, message).toBe(200);
    expect(world.reported).toEqual([]);
  });

  it('refuses wrong types, too long texts and too deep nesting, and writes nothing', async () => {
    const trial = await trialOf(entry);
    const before = await contentsOf(trial.world);
    await expectWrongTypesRefused(trial);
    await expectLongTextsRefused(trial, entry);
    await expectDeepNestingRefused(trial);
    expect(await contentsOf(trial.world)).toBe(before);
    expect(trial.world.reported).toEqual([]);
  });

  it('answers odd texts, names and repetitions, and stays what it is', async () => {
    const { send, good, fields, world } = await trialOf(entry);
    const odd = ['', '__proto__', 'constructor', 'a\u0000\u001b[2J\u202e\u007f', "'; drop table users; --", '🙂\u200b'];
    const asked: unknown[] = [];
    for (const path of fields) {
      const value = at(good, path);
      if (typeof value === 'string') asked.push(...odd.map((text) => having(good, path, text)));
      if (Array.isArray(value)) asked.push(having(good, path, [...value, ...value]), having(good, path, []));
      if (typeof value === 'object' && !Array.isArray(value)) asked.push(having(good, [...path, 'constructor'], 1));
    }
    for (const data of asked) expect([200, 400, 404, 409], JSON.stringify(data)).toContain((await send(data)).http);
    const text = JSON.stringify({ data: good }).replaceAll('{"', '{"__proto__":{"polluted":true},"');
    expect([200, 400, 404, 409]).toContain((await send(text.replace('{"__proto__":{"polluted":true},', '{'))).http);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(world.reported).toEqual([]);
  });
});
