/** Combines certificates in PEM format with the default authorities of Node.js. */
export async function withDefaultAuthorities(authorities: string): Promise<string[]> {
  const { getCACertificates } = await import('node:tls');
  return [...getCACertificates(), authorities];
}
