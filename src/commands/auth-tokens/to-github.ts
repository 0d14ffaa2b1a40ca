import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { SvcError } from '../../kernel/errors.ts';
import { localFileError, throwFileError } from '../../kernel/files.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import type { Context } from '../context.ts';
import { escapeWorkflowText } from '../terminal/annotation.ts';
import type { TokenDestination } from './destination.ts';

const VARIABLE = 'GITHUB_OUTPUT';

/**
 * Makes the runner mask the token first.
 * @throws SvcError `usage` outside of a GitHub Actions step
 */
export async function openGithub({ environment, io }: Context): Promise<TokenDestination> {
  const path = environment[VARIABLE];
  if (!path) {
    throw new SvcError('usage', `--github: ${VARIABLE} is not set; nothing was sent`, {
      hint: '--github works only in a GitHub Actions step; elsewhere, use --output-file or --to',
    });
  }
  const file = await open(path, 'a').catch(throwFileError('write', path));
  return {
    name: `$${VARIABLE}`,
    async deliver(token) {
      const masked = escapeWorkflowText(token);
      await io.stdout.write(
        `::add-mask::${io.stdout.isTerminal ? escapeForTerminal(masked) : masked}\n`,
      );
      try {
        await file.appendFile(formatOutputLines(token));
        await file.close();
      } catch (error) {
        throw localFileError('write', path, error);
      }
    },
    discard: () => file.close(),
  };
}

function formatOutputLines(token: string): string {
  if (!/[\r\n]/.test(token)) return `token=${token}\n`;
  const end = `end-${randomUUID()}`;
  return `token<<${end}\n${token}\n${end}\n`;
}
