import { prepareDelete, prepareSelect, prepareUpsert } from '../store/statements.ts';
import type { Database, Store } from '../store/store.ts';

/** Settings for development by name. They belong to the store, but not to the data of the service. */
export type DevelopmentValues = Readonly<Partial<Record<'clock' | 'faults', unknown>>>;

export type DevelopmentState = ReturnType<typeof createDevelopmentState>;

/** Time until a change of another process takes effect without `Store.version`, in milliseconds. */
const MAX_AGE = 100;

/** Keeps the settings for development in memory, and reads them again after another process has changed the store. */
export function createDevelopmentState(store: Store) {
  let known: DevelopmentValues = {};
  let [version, readAt]: [number | undefined, number] = [undefined, Number.NEGATIVE_INFINITY];
  const isCurrent = () => {
    const current = store.version?.();
    return current === undefined ? performance.now() < readAt + MAX_AGE : current === version;
  };
  const readFrom = async (database: Database) => {
    [version, readAt] = [store.version?.(), performance.now()];
    known = Object.fromEntries((await selectValues(database, {})).map(({ name, value }) => [name, JSON.parse(value)]));
    return known;
  };
  return {
    /** Returns the values as last read. */
    get known() {
      return known;
    },
    /**
     * Returns the current values. Costs less than a query, so each request can call it.
     * @param database transaction to read in (default: a new one)
     */
    current: (database?: Database): DevelopmentValues | Promise<DevelopmentValues> => {
      if (isCurrent()) return known;
      return database ? readFrom(database) : store.read(readFrom);
    },
    /** Reads a change by another process, at the cost of a query if the store has no version. */
    refresh: (database: Database) => (store.version && isCurrent() ? known : readFrom(database)),
    /** Changes a value. Undefined deletes it. Other processes act on the change from their next request. */
    change: async <Name extends keyof DevelopmentValues>(
      name: Name,
      update: (value: unknown, database: Database) => unknown,
    ): Promise<DevelopmentValues> => {
      await store.write(async (database) => {
        const value = await update((await readFrom(database))[name], database);
        if (value === undefined) await deleteValue(database, { name });
        else await upsertValue(database, [{ name, value: JSON.stringify(value) }]);
      });
      // Without a version, processes that use the store may keep the old value for this long.
      if (!store.version) await new Promise((resolve) => setTimeout(resolve, MAX_AGE));
      return store.read(readFrom);
    },
  };
}

const selectValues = prepareSelect('development', ['name', 'value']);
const upsertValue = prepareUpsert('development', ['name'], { replaced: ['value'] });
const deleteValue = prepareDelete('development');
