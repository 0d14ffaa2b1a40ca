/**
 * A copy of all data in a store, including API keys and tokens, but not the clock or the fault
 * rules.
 */
export interface Snapshot {
  readonly name: string;
  readonly bytes: number;
  /** Time in RFC 3339. */
  readonly savedAt: string;
  readonly records: Readonly<Record<string, number>>;
}
