/** Number of records that a list returns by default. */
export const DEFAULT_LIMIT = 50;
