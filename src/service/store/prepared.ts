import type { Compilable, CompiledQuery, DialectAdapter } from 'kysely';
import type { Database } from './store.ts';

/**
 * A database whose one connection can be asked at once. Kysely's way to a connection costs as much as a small query.
 * Every query here runs inside of the transaction that has the connection to itself.
 */
export interface DirectAdapter extends DialectAdapter {
  rows<Row>(query: CompiledQuery<Row>): readonly Row[];
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

/** Compiled forms kept of one query. They differ by which filters are given, or by the number of rows. */
const MOST_SHAPES = 200;

/**
 * A query that is built and compiled once for each shape of its parameters, and then only run: a query costs several
 * times more to build than to run.
 * @param build makes the query. Strings, numbers and null in its parameters are stand-ins for values, to hand on but
 * not to look at; what is left out, booleans, bigints and the lengths of arrays are the shape, and may decide the query.
 */
export function prepared<Parameters extends object, Row>(
  build: (database: Database, parameters: Parameters) => Compilable<Row>,
): (database: Database, parameters: Parameters) => Promise<readonly Row[]> {
  const forms = new WeakMap<DialectAdapter, Map<string, CompiledQuery<Row>>>();
  const compile = (database: Database, parameters: Parameters, shape: string) => {
    const { adapter } = database.getExecutor();
    const known = forms.get(adapter);
    const query = build(database, withSlots(parameters)).compile();
    if (known && known.size < MOST_SHAPES) known.set(shape, query);
    else forms.set(adapter, new Map([[shape, query]]));
    return query;
  };
  return async (database, parameters) => {
    const values: unknown[] = [];
    const shape = shapeOf(parameters, values);
    const query = forms.get(database.getExecutor().adapter)?.get(shape) ?? compile(database, parameters, shape);
    const bind = (value: unknown) => (value instanceof Slot ? values[value.index] : value);
    const bound: CompiledQuery<Row> = { ...query, parameters: query.parameters.map(bind) };
    const { adapter } = database.getExecutor();
    if (isDirect(adapter)) return adapter.rows(bound);
    return (await database.executeQuery(bound)).rows;
  };
}

function isValue(part: unknown): boolean {
  return typeof part === 'string' || typeof part === 'number' || part === null;
}

/** A text for everything about the parameters but their values, which it collects in the order of the slots. */
function shapeOf(part: unknown, values: unknown[]): string {
  if (isValue(part)) {
    values.push(part);
    return '?';
  }
  if (typeof part !== 'object' || part === null) return String(part);
  let shape = Array.isArray(part) ? '[' : '{';
  if (Array.isArray(part)) for (const inner of part) shape += `${shapeOf(inner, values)},`;
  else for (const name of Object.keys(part)) shape += `${name}:${shapeOf(Reflect.get(part, name), values)},`;
  return shape;
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
