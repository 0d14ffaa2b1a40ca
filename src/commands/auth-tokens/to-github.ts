import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { SvcError } from '../../kernel/errors.ts';
import { localFileError } from '../../kernel/files.ts';
import { safeText } from '../../kernel/safe-text.ts';
import type { Context } from '../context.ts';
import { workflowText } from '../terminal/workflow-command.ts';
import type { Destination } from './destination.ts';

const VARIABLE = 'GITHUB_OUTPUT';

/**
 * The output `token` of a step of GitHub Actions. The line that has the runner mask the token comes first, on stdout,
 * where the runner reads it.
 * @throws SvcError `usage` outside of a step
 */
export async function openGithub({ environment, io }: Context): Promise<Destination> {
  const path = environment[VARIABLE];
  if (!path) {
    throw new SvcError('usage', `--github: ${VARIABLE} is not set; nothing was sent`, {
      hint: 'it is set in a step of GitHub Actions; elsewhere use --output-file or --to',
    });
  }
  const file = await open(path, 'a').catch((error: unknown) => {
    throw localFileError('write', path, error);
  });
  return {
    name: `$${VARIABLE}`,
    async deliver(token) {
      const masked = workflowText(token);
      await io.stdout.write(`::add-mask::${io.stdout.isTerminal ? safeText(masked) : masked}\n`);
      try {
        await file.appendFile(outputLines(token));
        await file.close();
      } catch (error) {
        throw localFileError('write', path, error);
      }
    },
    discard: () => file.close(),
  };
}

function outputLines(token: string): string {
  if (!/[\r\n]/.test(token)) return `token=${token}\n`;
  const end = `end-${randomUUID()}`;
  return `token<<${end}\n${token}\n${end}\n`;
}
