import { isObject, tryParseJson } from '../kernel/json.ts';
import type { Envelope } from './contract.ts';
import type { ResponseGuide } from './response-guide.ts';
import { isVocabularyName } from './vocabulary.ts';

/** A body without its envelope. */
export interface OpenedBody {
  readonly envelope: Envelope;
  readonly status: string | null;
  readonly message: string | undefined;
  readonly content: Readonly<Record<string, unknown>>;
  /** Names beside the envelope. */
  readonly siblings: readonly string[];
}

const UNUSABLE: OpenedBody = {
  envelope: 'none',
  status: null,
  message: undefined,
  content: {},
  siblings: [],
};

/** Parses a body and removes its envelope, by the rules of the client. */
export function openBody(text: string | undefined, isSuccess: boolean): OpenedBody {
  const body = text === undefined ? undefined : tryParseJson(text);
  if (!isObject(body)) return Array.isArray(body) && isSuccess ? openData(body) : UNUSABLE;
  for (const envelope of ['error', 'result'] as const) {
    if (!Object.hasOwn(body, envelope)) continue;
    const content = body[envelope];
    const siblings = Object.keys(body).filter((name) => name !== envelope);
    if (!isObject(content)) return { ...UNUSABLE, envelope, siblings };
    return open(envelope, content, siblings);
  }
  const isBare = Object.hasOwn(body, 'data') || typeof body['message'] === 'string';
  if (isBare) return open('bare', body, []);
  return isSuccess ? openData(body) : UNUSABLE;
}

function open(
  envelope: Envelope,
  content: Readonly<Record<string, unknown>>,
  siblings: readonly string[],
): OpenedBody {
  const { status, message } = content;
  return {
    envelope,
    status: typeof status === 'string' ? status : null,
    message: typeof message === 'string' ? message : undefined,
    content,
    siblings,
  };
}

function openData(data: unknown): OpenedBody {
  return { ...UNUSABLE, envelope: 'data', content: { data } };
}

/** The fields of all examined responses of one outcome. */
export class FieldCounts {
  /** Number of objects or lists at a path that fields can be in. */
  readonly #parents = new Map<string, number>();
  readonly #present = new Map<string, number>();
  readonly #types = new Map<string, Set<string>>();
  readonly #values = new Map<string, Set<string>>();

  add(content: unknown, guide: ResponseGuide): void {
    this.#addValue(content, guide, '', new Map());
  }

  addSiblings(names: readonly string[]): void {
    for (const name of names) this.#addField(`/${toFieldName(name)}`, undefined);
  }

  fields(): readonly { readonly path: string; readonly types: string; readonly always: boolean }[] {
    return [...this.#types].toSorted(compareEntries).map(([path, types]) => ({
      path,
      types: [...types].sort().join(' | '),
      always: this.#isAlways(path),
    }));
  }

  values(): Readonly<Record<string, readonly string[]>> {
    const entries = [...this.#values].toSorted(compareEntries);
    return Object.fromEntries(entries.map(([path, values]) => [path, [...values].sort()]));
  }

  #isAlways(path: string): boolean {
    if (path.endsWith('[]') || path.endsWith('*')) return true;
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')));
    return this.#present.get(path) === this.#parents.get(parent);
  }

  #addField(path: string, value: unknown): void {
    const types = this.#types.get(path) ?? new Set();
    types.add(typeNameOf(value));
    this.#types.set(path, types);
    this.#present.set(path, (this.#present.get(path) ?? 0) + 1);
  }

  #addValue(
    value: unknown,
    guide: ResponseGuide,
    path: string,
    outer: ReadonlyMap<ResponseGuide, string>,
  ): void {
    if (guide.kind === 'list' && Array.isArray(value)) {
      for (const item of value) this.#addChild(`${path}[]`, item, guide.of, outer);
    } else if (guide.kind === 'map' && isObject(value)) {
      for (const key in value) this.#addChild(join(path, '*'), value[key], guide.of, outer);
    } else if (guide.kind === 'object' && isObject(value)) {
      // A record that contains records of its kind, such as a folder, is one record of the contract.
      const at = outer.get(guide) ?? path;
      this.#parents.set(at, (this.#parents.get(at) ?? 0) + 1);
      const inner = new Map([...outer, [guide, at]]);
      for (const [name, field] of Object.entries(value)) {
        const declared = guide.fields.get(name);
        const child = join(at, declared ? name : toFieldName(name));
        if (declared) this.#addChild(child, field, declared, inner);
        else this.#addField(child, field);
      }
    }
  }

  #addChild(
    path: string,
    value: unknown,
    guide: ResponseGuide,
    outer: ReadonlyMap<ResponseGuide, string>,
  ): void {
    this.#addField(path, value);
    const known = guide.kind === 'leaf' ? knownValueOf(path, value) : undefined;
    if (known !== undefined)
      this.#values.set(path, (this.#values.get(path) ?? new Set<string>()).add(known));
    this.#addValue(value, guide, path, outer);
  }
}

function compareEntries([first]: readonly [string, unknown], [second]: readonly [string, unknown]) {
  return first < second ? -1 : 1;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function typeNameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const OTHER_NAME = '(other)';

/** Returns the name of a field that the API does not declare, if it cannot be a value. */
function toFieldName(name: string): string {
  return isVocabularyName(name) ? name : OTHER_NAME;
}

/** Values that the API names, by field. Only these are recorded; others are `(other)`. */
const KNOWN_VALUES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    accessType: ['public', 'restricted', 'organizationPrivate'],
    code: ['already-exists', 'not-found', 'internal'],
    managedBy: ['customer', 'platform'],
    type: ['testing', 'production', 'default', 'custom', 'extprovider'],
  }).map(([field, values]) => [field, new Set(values)]),
);
const MIGRATION_STATES = new Set(['pending', 'in_progress', 'completed', 'failed']);
const OTHER_VALUE = '(other)';

/**
 * Returns the value to record for a declared field; undefined if the field has no named values.
 * `path` ends with the field's name.
 */
function knownValueOf(path: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const field = path.slice(path.lastIndexOf('.') + 1);
  if (path === 'data.status') return migrationStateOf(value);
  // Codes of issues are those of a validation library, not of the API.
  const known = path.startsWith('details.issues') ? undefined : KNOWN_VALUES.get(field);
  return known && (known.has(value) ? value : OTHER_VALUE);
}

export function migrationStateOf(value: string): string {
  return MIGRATION_STATES.has(value) ? value : OTHER_VALUE;
}
