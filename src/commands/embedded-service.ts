/** Identifies the embedded service where other services have a host: in prompts, jobs, and the history. */
export const EMBEDDED_SERVICE = 'embedded service';
