import type { Compilable, CompiledQuery, DialectAdapter } from 'kysely';
import type { Database } from './store.ts';

/**
 * A database whose one connection can be asked at once. Kysely's way to a connection costs as much as a small query.
 * Every query here runs inside of the transaction that has the connection to itself.
 */
export interface DirectAdapter extends DialectAdapter {
  rows<Row>(sql: string, parameters: readonly unknown[]): readonly Row[];
  /** What a query waits for if the ones before it have kept the rest of the process waiting. */
  rest(): Promise<void> | undefined;
}

function isDirect(adapter: DialectAdapter): adapter is DirectAdapter {
  return 'rows' in adapter;
}

/** Stands in a query that is built and compiled once for a value that comes with each run. */
class Slot {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/**
 * A query that is built and compiled once for each shape of its parameters, and then only run: a query costs several
 * times more to build than to run.
 * @param build makes the query. Strings, numbers and null in its parameters are stand-ins for values, to hand on but
 * not to look at; what is left out, booleans, bigints and the lengths of arrays are the shape, and may decide the query.
 */
export function prepared<Parameters extends object, Row>(
  build: (database: Database, parameters: Parameters) => Compilable<Row>,
): (database: Database, parameters: Parameters) => Promise<readonly Row[]> {
  const formsOf = new WeakMap<DialectAdapter, Forms<Row>>();
  const formsFor = (adapter: DialectAdapter) => {
    const known = formsOf.get(adapter);
    if (known && known.queries.size < MOST_FORMS) return known;
    const made = new Forms<Row>();
    formsOf.set(adapter, made);
    return made;
  };
  return async (database, parameters) => {
    const { adapter } = database.getExecutor();
    const forms = formsFor(adapter);
    const values: unknown[] = [];
    const shape = forms.shapeOf(parameters, values);
    const known = forms.queries.get(shape);
    const query = known ?? build(database, withSlots(parameters)).compile();
    if (!known) forms.queries.set(shape, query);
    const bound = query.parameters.map((value) => (value instanceof Slot ? values[value.index] : value));
    if (isDirect(adapter)) {
      const rest = adapter.rest();
      if (rest) await rest;
      return adapter.rows<Row>(query.sql, bound);
    }
    return (await database.executeQuery<Row>({ ...query, parameters: bound })).rows;
  };
}

/** Compiled forms kept of one query. They differ by which filters are given, or by the number of rows. */
const MOST_FORMS = 200;

/** The compiled forms of a query, by the shape of its parameters. */
class Forms<Row> {
  readonly queries = new Map<Shape, CompiledQuery<Row>>();
  readonly #array = new Shape();
  readonly #object = new Shape();

  /** What tells everything about the parameters but their values, which it collects in the order of the slots. */
  shapeOf(parameters: object, values: unknown[]): Shape {
    if (Array.isArray(parameters)) {
      return parameters.reduce<Shape>((shape, part) => shape.and(this.#kindOf(part, values)), this.#array);
    }
    let shape = this.#object;
    for (const name of Object.keys(parameters)) {
      shape = shape.and(name).and(this.#kindOf(Reflect.get(parameters, name), values));
    }
    return shape;
  }

  /** Slots stand for values, an array or object for its shape, and all else for itself. */
  #kindOf(part: unknown, values: unknown[]): unknown {
    if (typeof part === 'object' && part !== null) return this.shapeOf(part, values);
    if (!isValue(part)) return part;
    values.push(part);
    return Slot;
  }
}

/** How an array or object begins: one and the same for all that begin alike, and made longer by what comes next. */
class Shape {
  readonly #longer = new Map<unknown, Shape>();

  and(next: unknown): Shape {
    const known = this.#longer.get(next);
    if (known) return known;
    const made = new Shape();
    this.#longer.set(next, made);
    return made;
  }
}

function isValue(part: unknown): boolean {
  return typeof part === 'string' || typeof part === 'number' || part === null;
}

/** The parameters with a slot for each value. */
function withSlots<Part>(parameters: Part): Part {
  let slots = 0;
  const slotted = (part: unknown): unknown => {
    if (isValue(part)) return new Slot(slots++);
    if (Array.isArray(part)) return part.map(slotted);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, slotted(inner)]));
  };
  return slotted(parameters) as Part;
}
