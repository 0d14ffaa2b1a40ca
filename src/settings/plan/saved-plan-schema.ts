import { isAbsolute } from 'node:path';
import * as z from 'zod/mini';
import { ACCESS_ROLES } from '../../catalog/access-roles.ts';
import { SETTINGS_KINDS } from '../../catalog/record-kinds.ts';
import { recordSchemas } from '../../catalog/record-schemas.ts';
import { settingsSchema } from '../../catalog/settings.ts';
import { valueAt, withValue } from '../../kernel/field-path.ts';
import { formatCanonicalJson, isObject } from '../../kernel/json.ts';
import {
  type AccessCounts,
  type ComparedAccess,
  classifyChange,
  MAX_ROWS,
} from '../access-preview.ts';
import {
  CONFIG_NAMES,
  CONFIGS,
  type ConfigName,
  IGNORED_ENDPOINT_FIELDS,
  secretPathOf,
} from '../kinds.ts';
import { type Change, identifyRecord } from '../plan.ts';
import { formatReference, SECRET_MARKER, type SecretReference } from '../secret-value.ts';
import type { RecordKind } from '../settings.ts';
import { summarize } from './build-plan.ts';
import { name, sha256 } from './saved-write-schema.ts';

const file = z.strictObject({ path: name, sha256 });
const SIGNS = ['+', '~', '-/+', '-', '>', '!', '?'] as const satisfies readonly Change['sign'][];

const usersFile = z.strictObject({
  from: name.check(z.refine(isAbsolute, { error: 'expected an absolute path' })),
  sha256,
  organizationId: z.optional(name),
});
const endpoint = z
  .partial(
    z.omit(
      recordSchemas.endpoints,
      Object.fromEntries(IGNORED_ENDPOINT_FIELDS.map((field) => [field, true])) as never,
    ),
  )
  .check(
    z.refine(({ uid, id }) => uid != null || id !== undefined, { error: 'needs a uid or an id' }),
  );
const configs = settingsSchema.shape.config.def.innerType.shape;

/** Schemas of the values of records. A kind without one is never written. */
const VALUE_SCHEMAS: { readonly [Kind in RecordKind]?: z.ZodMiniType } = {
  organizations: recordSchemas.organizations,
  folders: settingsSchema.shape.folders.def.innerType.def.element,
  documents: recordSchemas.documents,
  groups: recordSchemas.groups,
  users: recordSchemas.users,
  endpoints: endpoint,
};

const change = z
  .strictObject({
    sign: z.enum(SIGNS),
    kind: z.enum(SETTINGS_KINDS),
    org: z.nullable(z.string()),
    id: z.nullable(z.string()),
    field: z.nullable(z.string()),
    before: z.optional(z.unknown()),
    after: z.unknown(),
    reason: z.optional(z.string()),
    value: z.optional(z.unknown()),
  })
  .check(
    z.superRefine((found, context) => {
      for (const { path, message } of findValueProblems(found))
        context.addIssue({ code: 'custom', path: ['value', ...path], message, continue: false });
    }),
  );

const documentQuery = z.strictObject({
  organizationId: name,
  ids: z.union([z.array(name), z.literal('all')]),
  folders: z.array(z.strictObject({ folderId: name, ids: z.array(name) })),
});

const query = z.strictObject({
  configs: z.array(z.enum(CONFIG_NAMES as [ConfigName])),
  endpoints: z.boolean(),
  folders: z.array(name),
  documents: z.array(documentQuery),
  agents: z.union([z.array(name), z.literal('all')]),
});

const names = z.strictObject({
  file: name,
  profile: z.nullable(name),
  source: z.optional(name),
  folderFile: z.optional(name),
  store: z.optional(name),
  environments: z.optional(z.array(name)),
});

const count = z.int().check(z.gte(0));

const grant = {
  type: z.enum(['organization', 'folder', 'document']),
  id: z.string(),
};
const access = z.strictObject({
  role: z.enum(ACCESS_ROLES),
  expiresAt: z.nullable(z.iso.datetime()),
  get afterward() {
    return z.optional(access);
  },
});
const accessPreview = z
  .strictObject({
    counts: z.strictObject({ gain: count, lose: count, change: count }),
    total: count,
    rows: z
      .array(
        z.strictObject({
          user: z.string(),
          resource: z.strictObject({
            ...grant,
            organizationId: z.string(),
            folderId: z.optional(z.string()),
          }),
          before: z.nullable(access),
          after: z.nullable(access),
          through: z.strictObject(grant),
        }),
      )
      .check(z.maxLength(MAX_ROWS)),
    sha256: z.optional(sha256),
    unknown: z.strictObject({ documents: count, people: count }),
    unknownPeople: z.array(z.string()),
    members: z.optional(
      z.strictObject({ path: name, sha256, modifiedAt: z.iso.datetime(), ageSeconds: count }),
    ),
  })
  .check(
    z.refine(({ total, rows }) => rows.length === Math.min(total, MAX_ROWS), {
      error: 'does not match the rows',
      path: ['total'],
    }),
    z.refine(
      ({ total, rows, counts }) =>
        total > rows.length ||
        formatCanonicalJson(countPeople(rows)) === formatCanonicalJson(counts),
      { error: 'does not match the rows', path: ['counts'] },
    ),
  );

function countPeople(rows: readonly (ComparedAccess & { readonly user: string })[]): AccessCounts {
  const people = (wanted: keyof AccessCounts) =>
    new Set(rows.filter((row) => classifyChange(row) === wanted).map(({ user }) => user)).size;
  return { gain: people('gain'), lose: people('lose'), change: people('change') };
}

/** The shape of a saved plan. Nothing in it names an operation: writes follow from the values. */
export const savedPlanSchema = z
  .strictObject({
    svc: z.literal(1),
    createdAt: z.iso.datetime(),
    environment: z.nullable(name),
    profile: z.nullable(name),
    stack: z.nullable(name),
    names: z.optional(names),
    files: z.array(file),
    salt: z
      .string()
      .check(z.regex(/^[0-9a-f]{32}$/, { error: 'expected 16 bytes in hexadecimal digits' })),
    records: z.record(z.string(), z.nullable(z.string())),
    secrets: z.record(z.string().check(z.regex(/^(env|file):./s)), z.string()),
    target: z.strictObject({ url: z.string(), apiKey: z.nullable(z.string()) }),
    changes: z.array(change),
    predicted: z.array(z.string()),
    notRestored: z.array(z.string()),
    summary: z.strictObject({
      create: count,
      update: count,
      replace: count,
      delete: count,
      send: count,
    }),
    query,
    /** Absent in plans of earlier versions. */
    access: z.optional(accessPreview),
    allowReplace: z.boolean(),
    sha256,
  })
  // Runs only if each change is valid.
  .check(
    z.superRefine(({ changes, summary, secrets }, context) => {
      const reject = (path: readonly PropertyKey[], message: string) =>
        context.addIssue({ code: 'custom', path: [...path], message });
      const shown = changes as readonly Change[];
      if (formatCanonicalJson(summarize(shown)) !== formatCanonicalJson(summary))
        reject(['summary'], 'does not match the changes');
      const values = new Map<string, string>();
      for (const [at, change] of shown.entries()) {
        const { kind, id, value } = change;
        if (value === undefined || value === null) continue;
        const path = ['changes', at, 'value'];
        const record = identifyRecord(change);
        const text = formatCanonicalJson(value);
        if ((values.get(record) ?? text) !== text)
          reject(path, 'differs between changes of a record');
        values.set(record, text);
        const reference = kind === 'config' ? findReference(String(id), value) : undefined;
        if (reference && !Object.hasOwn(secrets, formatReference(reference)))
          reject(path, 'refers to a secret without a hash');
      }
    }),
  );

/** Whether a saved plan may contain a value for a record. */
export function isPlannable(kind: RecordKind, id: string, value: unknown): boolean {
  return findSchemaProblems({ kind, id, value }).length === 0;
}

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

type PlannedValue = Pick<Change, 'sign' | 'kind' | 'id'> & { readonly value?: unknown };
const problem = (message: string): readonly Problem[] => [{ path: [], message }];

function findValueProblems(found: PlannedValue): readonly Problem[] {
  const { sign, kind, value } = found;
  if (sign === '!' || sign === '?')
    return value === undefined ? [] : problem('is not expected: nothing is written');
  if (value === undefined) return problem('is required');
  if (sign === '-') return value === null ? [] : problem('must be null for a deletion');
  if (kind === 'endpoints' && sign !== '~' && Object(value).url === undefined)
    return problem('needs a url');
  return findSchemaProblems(found);
}

function findSchemaProblems({ kind, id, value }: Omit<PlannedValue, 'sign'>): readonly Problem[] {
  if (kind === 'config') return findConfigProblems(String(id), value);
  const isFile = kind === 'users' && isObject(value) && 'from' in value;
  const schema = isFile ? usersFile : VALUE_SCHEMAS[kind];
  if (!schema) return problem(`is not expected: svc cannot write ${kind}`);
  return [...findIssues(schema, value), ...findMarkers(value, [])];
}

function findConfigProblems(id: string, value: unknown): readonly Problem[] {
  const config = CONFIG_NAMES.find((known) => known === id);
  if (config === undefined) return problem('is not a configuration');
  const path = secretPathOf(config);
  const secret = path && valueAt(value, path);
  if (!isObject(value) || !path || secret === undefined)
    return [...findIssues(configs[config], value), ...findMarkers(value, [])];
  const isMarked = isObject(secret) && Object.keys(secret).join() === SECRET_MARKER;
  if (!isMarked) return [{ path, message: `expected { ${SECRET_MARKER}: reference }` }];
  const declared = withValue(value, path, secret[SECRET_MARKER]);
  return [...findIssues(configs[config], declared), ...findMarkers(declared, [])];
}

function findIssues(schema: z.ZodMiniType, value: unknown): readonly Problem[] {
  return schema.safeParse(value).error?.issues ?? [];
}

/** Finds markers of secrets, which are allowed only in place of the secret of a configuration. */
function findMarkers(value: unknown, path: readonly PropertyKey[]): readonly Problem[] {
  if (Array.isArray(value)) return value.flatMap((inner, at) => findMarkers(inner, [...path, at]));
  if (!isObject(value)) return [];
  if (Object.hasOwn(value, SECRET_MARKER)) return [{ path, message: 'must not be a secret' }];
  return Object.entries(value).flatMap(([field, inner]) => findMarkers(inner, [...path, field]));
}

function findReference(id: string, value: unknown): SecretReference | undefined {
  const path = Object.hasOwn(CONFIGS, id) ? secretPathOf(id as ConfigName) : undefined;
  return path && (valueAt(value, [...path, SECRET_MARKER]) as SecretReference | undefined);
}
