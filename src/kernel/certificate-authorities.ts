import { getCACertificates } from 'node:tls';

export function withDefaultAuthorities(authorities: string): string[] {
  return [...getCACertificates(), authorities];
}
