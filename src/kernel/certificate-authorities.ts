/** Adds certificates in PEM form to those that Node.js trusts by default. */
export async function withDefaultAuthorities(authorities: string): Promise<string[]> {
  const { getCACertificates } = await import('node:tls');
  return [...getCACertificates(), authorities];
}
