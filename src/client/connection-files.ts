/** Options that name a file that the connection needs. */
const CONNECTION_FILES = ['caFile', 'clientCert', 'clientKey'] as const;

export type ConnectionFiles = { readonly [Name in (typeof CONNECTION_FILES)[number]]?: string };

/** @param toPath converts each path */
export function selectConnectionFiles(
  options: ConnectionFiles,
  toPath = (path: string) => path,
): ConnectionFiles {
  const entries = CONNECTION_FILES.flatMap((name) => {
    const path = options[name];
    return path === undefined ? [] : [[name, toPath(path)]];
  });
  return Object.fromEntries(entries);
}
