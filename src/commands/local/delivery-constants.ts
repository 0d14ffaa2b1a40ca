/** States of a delivery, in the order of its life cycle. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;

/** Default of `--limit`. */
export const DEFAULT_LIST_LIMIT = 50;
