import { arch, platform } from 'node:os';
import { nodeVersion } from '../../kernel/io.ts';
import { CHECKS_VARIABLE, skippedChecksWarning, skipsCertificateChecks } from '../call/certificate-checks.ts';
import type { Context } from '../context.ts';
import { wantsColor } from '../run/open-context.ts';
import { type Check, ok, warn } from './check.ts';

/** What is about the machine and the terminal alone. */
export function machineChecks(context: Context): readonly Check[] {
  return [
    { name: 'node', run: async () => ok(`Node.js ${nodeVersion} on ${platform()} ${arch()}`) },
    { name: 'terminal', run: async () => terminal(context) },
    { name: 'certificate-checks', run: async () => certificateChecks(context) },
  ];
}

const NARROW = 60;

function terminal({ io, environment, options }: Context) {
  if (!io.stdout.isTerminal) return ok('no terminal: tables are not cut, nothing is drawn');
  const { columns = 0 } = io.stdout;
  const colour = wantsColor(options.color, io.stdout, environment) ? 'colours' : 'no colours';
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
  const detail = `${columns} columns, ${colour}, locale ${locale || 'not set'}`;
  if (platform() !== 'win32' && !/utf-?8/i.test(locale)) {
    return warn(detail, 'set LANG to a UTF-8 locale, such as C.UTF-8; other letters may be shown wrongly');
  }
  return columns < NARROW ? warn(detail, `tables need about ${NARROW} columns; -o json needs none`) : ok(detail);
}

function certificateChecks({ environment }: Context) {
  if (!skipsCertificateChecks(environment)) return ok('certificates of servers are checked');
  return warn(skippedChecksWarning(), `unset ${CHECKS_VARIABLE}; --ca-file trusts a private authority`);
}
