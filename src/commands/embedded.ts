/** Stands for the embedded service where a host is named: in questions, jobs, recovery records and the history. */
export const EMBEDDED = 'embedded service';
