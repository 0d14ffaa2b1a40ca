/** Name of the embedded service in place of a host: in prompts, jobs, recovery records, and the history. */
export const EMBEDDED_SERVICE = 'embedded service';
