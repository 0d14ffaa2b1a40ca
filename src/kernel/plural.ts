/** The plural of a noun of svc's own: `user` is `users`, `activity` is `activities`. */
export function plural(noun: string): string {
  return noun.replace(/(?<![aeiou])y$/, 'ie').concat('s');
}

/** `1 user`, `2 users`, `1,200 users`. */
export function amount(count: number, noun: string): string {
  return `${grouped(count)} ${count === 1 ? noun : plural(noun)}`;
}

/** A whole number as people read it: `1,234,567`. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
