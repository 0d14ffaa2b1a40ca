/** Certificates in PEM form, and those that Node trusts by itself. */
export async function withKnownAuthorities(authorities: string): Promise<string[]> {
  const { getCACertificates } = await import('node:tls');
  return [...getCACertificates(), authorities];
}
