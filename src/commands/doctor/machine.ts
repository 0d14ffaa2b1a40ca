import { arch, platform } from 'node:os';
import { nodeVersion } from '../../kernel/process.ts';
import { skippedChecksWarning, skipsCertificateChecks, TLS_CHECKS_VARIABLE } from '../call/certificate-checks.ts';
import type { Context } from '../context.ts';
import { shouldUseColor } from '../terminal/terminal.ts';
import { type Check, info, ok, warn } from './check.ts';

export function createMachineChecks(context: Context): readonly Check[] {
  return [
    { name: 'node', run: async () => ok(`Node.js ${nodeVersion} on ${platform()} ${arch()}`) },
    { name: 'terminal', run: async () => checkTerminal(context) },
    { name: 'certificate-checks', run: async () => checkCertificateChecks(context) },
  ];
}

const MIN_COLUMNS = 60;

function checkTerminal({ io, environment, options }: Context) {
  if (!io.stdout.isTerminal) return info('stdout is not a terminal: tables are not truncated, and nothing is drawn');
  const { columns = 0 } = io.stdout;
  const colors = shouldUseColor(options.color, io.stdout, environment) ? 'colors' : 'no colors';
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
  const detail = `${columns} columns, ${colors}, locale ${locale || 'not set'}`;
  if (platform() !== 'win32' && !/utf-?8/i.test(locale)) {
    return warn(
      detail,
      'set LANG to a UTF-8 locale, such as C.UTF-8; otherwise, some characters may be displayed incorrectly',
    );
  }
  return columns < MIN_COLUMNS
    ? warn(detail, `widen the terminal to about ${MIN_COLUMNS} columns for tables, or use -o json`)
    : ok(detail);
}

function checkCertificateChecks({ environment }: Context) {
  if (!skipsCertificateChecks(environment)) return ok('server certificates are verified');
  return warn(skippedChecksWarning(), `unset ${TLS_CHECKS_VARIABLE}; to trust a private authority, use --ca-file`);
}
