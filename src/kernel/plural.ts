/** Forms the plural of a regular noun: `user` becomes `users`, `activity` becomes `activities`. */
export function pluralize(noun: string): string {
  return noun.replace(/(?<![aeiou])y$/, 'ie').concat('s');
}

/** Formats a number with its noun: `1 user`, `2 users`, `1,200 users`. */
export function formatNounCount(count: number, noun: string): string {
  return `${groupDigits(count)} ${count === 1 ? noun : pluralize(noun)}`;
}

export function groupDigits(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Joins the first names. An ellipsis stands for the others: `a, b, …`. */
export function joinFirst(names: readonly string[], max: number): string {
  return names.slice(0, max).join(', ') + (names.length > max ? ', …' : '');
}

/** Joins the first names, and counts the others: `a, b, and 1,200 more`. */
export function joinAndCount(names: readonly string[], max: number): string {
  const more = names.length - max;
  return names.slice(0, max).join(', ') + (more > 0 ? `, and ${groupDigits(more)} more` : '');
}
