import { loadResource } from '../../catalog/index.ts';
import { messageOf, SvcError } from '../../kernel/errors.ts';
import { connect } from '../call/connect.ts';
import { requireData } from '../call/require-data.ts';
import type { Context } from '../context.ts';
import { canAsk, openPrompter } from '../terminal/terminal.ts';

/**
 * Disables advanced webhooks if `--restore` is set, or if the user agrees. Does not prompt if there are endpoints,
 * which need advanced webhooks. Failures are warnings, because the output is complete.
 */
export async function restoreAdvancedWebhooks(context: Context, restore: boolean | undefined): Promise<void> {
  if (!(restore ?? canPromptOnExit(context))) return;
  // The command's signal may be aborted already. A second Ctrl-C ends the process.
  const { signal } = new AbortController();
  try {
    const { client, close } = await connect({ ...context, signal });
    try {
      if (!restore) {
        const resource = await loadResource('webhook-endpoints');
        const { endpoints } = requireData(await client.call(resource['webhooks.endpoints.list'], { limit: 1 }));
        const prompter = await openPrompter({ ...context, signal });
        if (endpoints.length > 0 || !(await prompter.confirm('Disable advanced webhooks again?', true))) return;
      }
      const config = await loadResource('webhook-config');
      await client.call(config['webhooks.advanced.update'], { isEnabled: false });
      await context.note('disabled advanced webhooks again');
    } finally {
      await close();
    }
  } catch (error) {
    // Ctrl-C at the prompt means no.
    if (error instanceof SvcError && error.failure === 'interrupted') return;
    await context.warn(`advanced webhooks are still enabled: ${messageOf(error)}`);
  }
}

function canPromptOnExit(context: Context): boolean {
  const { signal, options } = context;
  const isInterrupted = signal.reason instanceof SvcError && signal.reason.failure === 'interrupted';
  return canAsk(context) && !options.yes && (!signal.aborted || isInterrupted);
}
