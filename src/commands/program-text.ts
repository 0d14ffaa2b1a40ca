import { shellWord } from '../catalog/command-text.ts';
import type { GlobalOptions } from './context.ts';

/** How svc is called again for the service that this run calls: `svc -p prod`. */
export function programOf(options: GlobalOptions): string {
  const { profile, local, store, baseUrl, caFile, insecureHttp } = options;
  const valued = { '-p': profile, '--store': store, '--base-url': baseUrl, '--ca-file': caFile };
  const words = Object.entries(valued).flatMap(([flag, value]) =>
    value === undefined ? [] : [flag, shellWord(value)],
  );
  return ['svc', ...(local ? ['--local'] : []), ...words, ...(insecureHttp ? ['--insecure-http'] : [])].join(' ');
}
