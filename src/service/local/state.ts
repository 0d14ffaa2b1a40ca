import { monotonicTime } from '../../kernel/process.ts';
import { prepareDelete, prepareSelect, prepareUpsert } from '../store/statements.ts';
import type { Database, Store } from '../store/store.ts';

/**
 * Development settings by name. They are saved in the store, but are not part of the service's
 * data.
 */
export type DevelopmentValues = Readonly<Partial<Record<'clock' | 'faults', unknown>>>;

/** The development settings of a store, cached until another process changes the store. */
export interface DevelopmentState {
  readonly known: DevelopmentValues;
  /**
   * Returns the current values. Costs less than a query, so each request can call it.
   * @param database transaction to read in (default: a new one)
   */
  current(database?: Database): DevelopmentValues | Promise<DevelopmentValues>;
  /** Reads a change by another process, at the cost of a query if the store has no version. */
  refresh(database: Database): DevelopmentValues | Promise<DevelopmentValues>;
  /** Changes a value like `change`, without waiting for other processes. */
  write(name: DevelopmentName, update: Update): Promise<DevelopmentValues>;
  /**
   * Waits until a change applies in all processes. In a store without a version, they may use the
   * old value until then.
   */
  settle(): Promise<void>;
  /**
   * Changes or, with undefined, deletes a value. The change applies in other processes from their
   * next request.
   */
  change(name: DevelopmentName, update: Update): Promise<DevelopmentValues>;
}

/** Maximum age of cached settings in a store without `Store.version`, in milliseconds. */
const MAX_AGE = 100;
const statesByStore = new WeakMap<Store, DevelopmentState>();

/**
 * Returns the development settings of a store. All callers share one object, because
 * `Store.version` ignores own changes.
 */
export function createDevelopmentState(store: Store): DevelopmentState {
  const state = statesByStore.get(store) ?? createState(store);
  statesByStore.set(store, state);
  return state;
}

function createState(store: Store): DevelopmentState {
  let known: DevelopmentValues = {};
  let [version, readAt]: [number | undefined, number] = [undefined, Number.NEGATIVE_INFINITY];
  let isChecked = false;
  /**
   * Checks once per turn of the event loop. The requests of a turn have arrived before its first
   * check.
   */
  const isCurrent = () => {
    if (isChecked) return true;
    const current = store.version?.();
    if (current === undefined) return monotonicTime() < readAt + MAX_AGE;
    isChecked = current === version;
    if (isChecked) setImmediate(() => (isChecked = false));
    return isChecked;
  };
  const readFrom = async (database: Database) => {
    const [startVersion, startedAt] = [store.version?.(), monotonicTime()];
    const values: DevelopmentValues = Object.fromEntries(
      (await selectValues(database, {})).map(({ name, value }) => [name, JSON.parse(value)]),
    );
    // A slow query must not replace the values of one that began after it.
    if (startedAt >= readAt) [known, version, readAt] = [values, startVersion, startedAt];
    return values;
  };
  const write = async (name: DevelopmentName, update: Update): Promise<DevelopmentValues> => {
    await store.write(async (database) => {
      const value = await update((await readFrom(database))[name], database);
      if (value === undefined) await deleteValue(database, { name });
      else await upsertValue(database, [{ name, value: JSON.stringify(value) }]);
    });
    return store.read(readFrom);
  };
  const settle = async () => {
    if (!store.version) await new Promise((resolve) => setTimeout(resolve, MAX_AGE));
  };
  return {
    get known() {
      return known;
    },
    current: (database) => {
      if (isCurrent()) return known;
      return database ? readFrom(database) : store.read(readFrom);
    },
    refresh: (database) => (store.version && isCurrent() ? known : readFrom(database)),
    write,
    settle,
    change: async (name, update) => {
      const values = await write(name, update);
      await settle();
      return values;
    },
  };
}

type DevelopmentName = keyof DevelopmentValues;
type Update = (value: unknown, database: Database) => unknown;
const selectValues = prepareSelect('development', ['name', 'value']);
const upsertValue = prepareUpsert('development', ['name'], { replaced: ['value'] });
const deleteValue = prepareDelete('development');
