/** Dashes that editors and chat programs make of two hyphens. */
const FLAG_WITH_DASH = /^([\u2010-\u2015\u2212]+-*|-[\u2010-\u2015\u2212]+)([A-Za-z][\w-]*)/;

/** Returns the hint for the first word that is a flag with a typographic dash, if any: `—user`. */
export function findDashHint(words: readonly string[]): string | undefined {
  for (const word of words) {
    const [, dash = '', name = ''] = FLAG_WITH_DASH.exec(word) ?? [];
    if (name === '') continue;
    const hyphens = name.length === 1 ? '-' : '--';
    return `replace ${dash} by ${hyphens}: ${hyphens}${name}`;
  }
  return undefined;
}
