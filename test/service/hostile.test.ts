import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { manifest, type OperationEntry } from '../../src/catalog/manifest.ts';
import { MAX_TEXT_LENGTH } from '../../src/service/calls/body.ts';
import type { Database } from '../../src/service/store/store.ts';
import { SLOW } from '../slow.ts';
import { isPostgres } from './store-location.ts';
import { post, startTestService, type TestService } from './test-service.ts';
import { createValidCalls } from './valid-calls.ts';

type Path = readonly (string | number)[];

interface Trial {
  readonly service: TestService;
  readonly input: object;
  /** Paths of all fields of the valid call, nested ones included. */
  readonly fields: readonly Path[];
  send(
    data: unknown,
  ): Promise<{ readonly http: number; readonly message: string; readonly paths: readonly Path[] }>;
}

async function createTrial({ name, path, auth }: OperationEntry): Promise<Trial> {
  const service = await startTestService();
  const input = (await createValidCalls(service))[name];
  const headers = auth === 'workspace' ? service.workspaceHeaders() : service.keyHeaders();
  return {
    service,
    input,
    fields: [...listPaths(input)],
    send: async (data) => {
      const body =
        typeof data === 'string' || data instanceof Buffer ? data : JSON.stringify({ data });
      const response = await post(service.fetch, path, body, headers);
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

function* listPaths(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    yield* listPaths(inner, [...path, Array.isArray(value) ? Number(key) : key]);
  }
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) => (inner as Record<string | number, unknown>)[key],
    value,
  );
}

/** Returns the call with another value in one field. */
function withValue(input: object, path: Path, value: unknown): object {
  const data = structuredClone(input);
  const holder = valueAt(data, path.slice(0, -1)) as Record<string | number, unknown>;
  holder[path.at(-1) ?? ''] = value;
  return data;
}

/** Free-form fields and their contents: the API does not define them. */
const FREE_FORM_PARENTS =
  /^(data|(activities\.0\.(changes\.status|entityData|entityTargetData|displayMessageTemplateData))|notificationSourceData|displayHeadlineMessageTemplateData|context\.access)\./;
const FREE_FORM_FIELDS = /\.(entityData|entityTargetData|from|to)$/;
const isFreeForm = (path: Path) =>
  FREE_FORM_PARENTS.test(path.join('.')) || FREE_FORM_FIELDS.test(`.${path.join('.')}`);

/** Values of the wrong type for a field with this valid value. */
function invalidValuesFor(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return ['text', 7, { 0: value[0] }, null];
  if (typeof value === 'object') return ['text', 7, [value], null];
  if (typeof value === 'string') return [7, true, { toString: 'text' }, [value], null];
  return ['text', {}, [value], null];
}

const isOnPathOf = (path: Path, field: Path) =>
  path.slice(0, field.length).join('.') === field.slice(0, path.length).join('.');

async function tableNames(database: Database): Promise<readonly string[]> {
  const tables = await sql<{
    name: string;
  }>`select name from sqlite_master where type = 'table'`.execute(database);
  return tables.rows.map(({ name }) => name);
}

/** Reads the contents of all tables of the store. */
async function dumpStore({ store }: TestService): Promise<string> {
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

const PLACEHOLDER = '"a long text"';
const QUOTE = Buffer.from('"');

/**
 * Encodes a call with a text of this size in one field. For long texts, this is much faster than
 * `JSON.stringify`.
 */
function encodeLongText(input: object, path: Path, size: number): Buffer<ArrayBuffer> {
  const text = JSON.stringify({ data: withValue(input, path, JSON.parse(PLACEHOLDER)) });
  const [start = Buffer.of(), ...rest] = text.split(PLACEHOLDER).map((part) => Buffer.from(part));
  const long = Buffer.concat([QUOTE, Buffer.alloc(size, 'x'), QUOTE]);
  return Buffer.concat([start, ...rest.flatMap((part) => [long, part])]);
}

/** Checks that each wrong type is rejected with the path of the field. */
async function expectWrongTypesRejected({ send, input, fields }: Trial): Promise<void> {
  for (const path of fields.filter((field) => !isFreeForm(field))) {
    for (const invalid of invalidValuesFor(valueAt(input, path))) {
      const { http, paths } = await send(withValue(input, path, invalid));
      const attempt = `${path.join('.')} = ${JSON.stringify(invalid)}`;
      expect(http, attempt).toBe(400);
      expect(
        paths.some((found) => isOnPathOf(found, path)),
        `${attempt}: ${JSON.stringify(paths)}`,
      ).toBe(true);
    }
  }
}

/**
 * Whether an operation is the first with its kind of credentials. All of a kind read bodies with
 * the same code.
 */
const isFirstOfKind = ({ name, auth }: OperationEntry) =>
  manifest.find((entry) => entry.auth === auth)?.name === name;

async function expectLongTextsRejected(
  { send, input, fields }: Trial,
  entry: OperationEntry,
): Promise<void> {
  const { auth } = entry;
  const [text, ...others] = fields.filter((path) => typeof valueAt(input, path) === 'string');
  const longest = isFirstOfKind(entry) ? 10_000_000 : MAX_TEXT_LENGTH + 1;
  const sizes = [
    [text, longest] as const,
    ...others.slice(0, 1).map((path) => [path, MAX_TEXT_LENGTH + 1] as const),
  ];
  for (const [path, size] of sizes) {
    if (!path) continue;
    const { http, paths } = await send(encodeLongText(input, path, size));
    // Without credentials, the service does not read bodies of this size.
    expect([http, paths]).toEqual([400, auth === 'none' ? [] : [path]]);
  }
}

/** Deeper than the call stack of any recursive reader. */
const DEPTH = 40_000;
const DEEP = '['.repeat(DEPTH) + ']'.repeat(DEPTH);

async function expectDeepNestingRejected({ send, input, fields }: Trial): Promise<void> {
  for (const path of [['extra'], ...fields.slice(0, 2)]) {
    const text = JSON.stringify({ data: withValue(input, path, 'DEEP') }).replace('"DEEP"', DEEP);
    expect((await send(text)).http, path.join('.')).toBe(400);
  }
}

async function expectInvalidCallsRejected(trial: Trial, entry: OperationEntry): Promise<void> {
  const before = await dumpStore(trial.service);
  await expectWrongTypesRejected(trial);
  await expectLongTextsRejected(trial, entry);
  await expectDeepNestingRejected(trial);
  expect(await dumpStore(trial.service)).toBe(before);
}

async function expectValidCallAccepted({ send, input, service }: Trial): Promise<void> {
  const { http, message } = await send(input);
  expect(http, message).toBe(200);
  expect(service.reported).toEqual([]);
}

const UNUSUAL_IN_SQL = ['a\u0000\u001b[2J\u202e\u007f', "'; drop table users; --"];

const OPERATIONS = manifest.map((entry) => [entry.name, entry] as const);

async function expectUnusualCallsHandled({ send, input, fields, service }: Trial): Promise<void> {
  // Kinds of stores differ only in how they treat some texts.
  const unusual = isPostgres
    ? UNUSUAL_IN_SQL
    : ['', '__proto__', 'constructor', '🙂\u200b', ...UNUSUAL_IN_SQL];
  const requests: unknown[] = [];
  for (const path of fields) {
    const value = valueAt(input, path);
    if (typeof value === 'string')
      requests.push(...unusual.map((text) => withValue(input, path, text)));
    if (Array.isArray(value))
      requests.push(withValue(input, path, [...value, ...value]), withValue(input, path, []));
    if (typeof value === 'object' && !Array.isArray(value))
      requests.push(withValue(input, [...path, 'constructor'], 1));
  }
  for (const data of requests)
    expect([200, 400, 404, 409], JSON.stringify(data)).toContain((await send(data)).http);
  const text = JSON.stringify({ data: input }).replaceAll('{"', '{"__proto__":{"polluted":true},"');
  expect([200, 400, 404, 409]).toContain(
    (await send(text.replace('{"__proto__":{"polluted":true},', '{'))).http,
  );
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  expect(service.reported).toEqual([]);
}

it.each(OPERATIONS)(
  '%s rejects invalid calls and writes nothing, accepts every field, and handles unusual texts',
  SLOW,
  async (_, entry) => {
    const trial = await createTrial(entry);
    // Invalid calls reach no database, so that testing them with one kind of store is enough.
    if (!isPostgres) await expectInvalidCallsRejected(trial, entry);
    await expectValidCallAccepted(trial);
    await expectUnusualCallsHandled(trial);
  },
);
