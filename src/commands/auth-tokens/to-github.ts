import { randomUUID } from 'node:crypto';
import { SvcError } from '../../kernel/errors.ts';
import { openOutputFile } from '../../kernel/output-file.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import type { Context } from '../context.ts';
import { annotateLog, escapeWorkflowText } from '../terminal/annotation.ts';
import type { TokenDestination } from './destination.ts';

const VARIABLE = 'GITHUB_OUTPUT';

/**
 * Makes the runner mask the token first.
 * @throws SvcError `usage` outside of a GitHub Actions step
 */
export async function openGithub({ environment, io, signal }: Context): Promise<TokenDestination> {
  const path = environment[VARIABLE];
  if (!path) {
    throw new SvcError('usage', `--github: ${VARIABLE} is not set; nothing was sent`, {
      hint: '--github works only in a GitHub Actions step; elsewhere, use --output-file or --to',
    });
  }
  const file = await openOutputFile(path, { existing: 'append', mode: 0o600, signal });
  return {
    name: `$${VARIABLE}`,
    async deliver(token) {
      const masked = escapeWorkflowText(token);
      await annotateLog(
        io.stdout,
        `::add-mask::${io.stdout.isTerminal ? escapeForTerminal(masked) : masked}\n`,
      );
      await file.write(formatOutputLines(token));
      await file.close();
    },
    discard: () => file.close(),
  };
}

function formatOutputLines(token: string): string {
  if (!/[\r\n]/.test(token)) return `token=${token}\n`;
  const end = `end-${randomUUID()}`;
  return `token<<${end}\n${token}\n${end}\n`;
}
