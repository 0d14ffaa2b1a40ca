export async function withDefaultAuthorities(authorities: string): Promise<string[]> {
  const { getCACertificates } = await import('node:tls');
  return [...getCACertificates(), authorities];
}
