import fc from 'fast-check';

/**
 * URLs with any path, query, and fragment. `fc.webUrl` uses fast-check's unit `binary`; see
 * `codePoint` for its cost.
 */
export const webUrl = fc
  .tuple(fc.domain(), fc.string())
  .map(([domain, rest]) => `https://${domain}/${encodeURI(rest)}`);
