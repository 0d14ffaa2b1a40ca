/** The groups of commands and what each is about, in the order that help lists them. */
export const GROUPS: ReadonlyMap<string, string> = new Map([
  ['users', 'Users of organizations, folders and documents'],
  ['folders', 'Folders and their trees'],
  ['documents', 'Documents'],
  ['workspace', 'The workspace and its API keys'],
  ['auth-tokens', 'Auth tokens of API keys'],
  ['profiles', 'Saved connections: addresses and credentials'],
  ['auth', 'What svc signs in with'],
]);
