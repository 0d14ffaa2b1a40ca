/** A complete copy of a store's data, including its API keys and tokens, but not its clock and faults. */
export interface Snapshot {
  readonly name: string;
  readonly bytes: number;
  /** RFC 3339. */
  readonly savedAt: string;
  /** Number of records by kind. */
  readonly records: Readonly<Record<string, number>>;
}
