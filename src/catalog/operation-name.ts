/** Formats the name of an operation as its command: `users.add.v2` becomes `users add`. */
export function formatOperation(name: string): string {
  return name.replace(/\.v\d$/, '').replaceAll('.', ' ');
}

/** Returns the name of an operation that is written as a command: `users add` is `users.add`. */
export function parseOperation(text: string): string {
  return text.trim().replaceAll(/ +/g, '.');
}
