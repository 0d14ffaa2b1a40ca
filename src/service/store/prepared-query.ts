import type { CompiledQuery, DatabaseConnection, DialectAdapter } from 'kysely';
import type { Database } from './store.ts';

/**
 * An adapter with synchronous access to a single connection. Kysely's path to a connection costs as
 * much as a small query. Queries run in the transaction that currently holds the connection.
 */
export interface DirectAdapter extends DialectAdapter {
  rows<Row>(sql: string, parameters: readonly unknown[]): readonly Row[];
  /** Returns a promise to wait for, if queries have blocked the event loop for too long. */
  yieldIfDue(): Promise<void> | undefined;
  isInTransaction(): boolean;
}

function isDirectAdapter(adapter: DialectAdapter): adapter is DirectAdapter {
  return 'rows' in adapter;
}

class Placeholder {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/**
 * Compiles a query once for each shape of its parameters, because compiling costs several times
 * more than running.
 * @param build builds the query. Strings, numbers, and null in its parameters are placeholders that
 * `build` must not inspect. Missing keys, booleans, bigints, and array lengths are part of the
 * shape, so `build` may depend on them.
 */
export function prepareQuery<Parameters extends object, Row>(
  build: (
    database: Database,
    parameters: Parameters,
  ) => { readonly compile: (database: Database) => CompiledQuery<Row> },
): (database: Database, parameters: Parameters) => Promise<readonly Row[]> {
  const formsByAdapter = new WeakMap<DialectAdapter, CompiledForms<Row>>();
  const formsFor = (adapter: DialectAdapter) => {
    const known = formsByAdapter.get(adapter);
    if (known && known.queries.size < MAX_FORMS) return known;
    const created = new CompiledForms<Row>();
    formsByAdapter.set(adapter, created);
    return created;
  };
  return async (database, parameters) => {
    const { adapter } = database.getExecutor();
    const forms = formsFor(adapter);
    const values: unknown[] = [];
    const shape = forms.shapeOf(parameters, values);
    const known = forms.queries.get(shape);
    const query = known ?? build(database, withPlaceholders(parameters)).compile(database);
    if (!known) forms.queries.set(shape, query);
    const bound = query.parameters.map((value) =>
      value instanceof Placeholder ? values[value.index] : value,
    );
    if (isDirectAdapter(adapter)) {
      const pause = adapter.yieldIfDue();
      if (pause) await pause;
      return adapter.rows<Row>(query.sql, bound);
    }
    const executor = pipelines.get(database) ?? database;
    return (await executor.executeQuery<Row>({ ...query, parameters: bound })).rows;
  };
}

const pipelines = new WeakMap<Database, DatabaseConnection>();

/**
 * Makes a transaction send its prepared queries at once. Kysely would wait for the response to the
 * previous query.
 */
export async function pipelineQueries(database: Database): Promise<void> {
  await database.getExecutor().provideConnection(async (connection) => {
    pipelines.set(database, connection);
  });
}

const MAX_FORMS = 200;

class CompiledForms<Row> {
  readonly queries = new Map<Shape, CompiledQuery<Row>>();
  readonly #array = new Shape();
  readonly #object = new Shape();

  /**
   * Returns the shape of parameters. Appends their values to `values`, in the order of the
   * placeholders.
   */
  shapeOf(parameters: object, values: unknown[]): Shape {
    if (Array.isArray(parameters))
      return parameters.reduce<Shape>(
        (shape, part) => shape.append(this.#kindOf(part, values)),
        this.#array,
      );
    let shape = this.#object;
    for (const name of Object.keys(parameters))
      shape = shape.append(name).append(this.#kindOf(Reflect.get(parameters, name), values));
    return shape;
  }

  /** Returns `Placeholder` for a value, the shape of an array or object, or the part unchanged. */
  #kindOf(part: unknown, values: unknown[]): unknown {
    if (typeof part === 'object' && part !== null) return this.shapeOf(part, values);
    if (!isValue(part)) return part;
    values.push(part);
    return Placeholder;
  }
}

/** A node in a trie of shapes. Parameters with the same structure have the same node. */
class Shape {
  readonly #children = new Map<unknown, Shape>();

  append(next: unknown): Shape {
    const known = this.#children.get(next);
    if (known) return known;
    const created = new Shape();
    this.#children.set(next, created);
    return created;
  }
}

function isValue(part: unknown): boolean {
  return typeof part === 'string' || typeof part === 'number' || part === null;
}

function withPlaceholders<Part>(parameters: Part): Part {
  let count = 0;
  const replace = (part: unknown): unknown => {
    if (isValue(part)) return new Placeholder(count++);
    if (Array.isArray(part)) return part.map(replace);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, replace(inner)]));
  };
  return replace(parameters) as Part;
}
