/** What a delivery can be, in the order in which it may become it. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;

/** Deliveries that are listed where nothing says how many. */
export const LISTED = 50;
