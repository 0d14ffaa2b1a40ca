import { loadResource } from '../../catalog/index.ts';
import { messageOf, SvcError } from '../../kernel/errors.ts';
import { connect } from '../call/connect.ts';
import { requireData } from '../call/require-data.ts';
import type { Context } from '../context.ts';
import { openPrompter } from '../terminal/open-prompter.ts';
import { canAsk } from '../terminal/terminal.ts';

/**
 * Disables advanced webhooks again with `--restore`, or if the user agrees on a terminal. Asks nothing if there are endpoints,
 * which would no longer receive deliveries. A failure is a warning, because the output is already complete.
 */
export async function restoreAdvancedWebhooks(context: Context, restore: boolean | undefined): Promise<void> {
  if (!(restore ?? mayAsk(context))) return;
  // The command may have been interrupted. Another Ctrl-C ends the process.
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
    // Ctrl-C at the question means no.
    if (error instanceof SvcError && error.failure === 'interrupted') return;
    await context.warn(`advanced webhooks are still enabled: ${messageOf(error)}`);
  }
}

/** Whether the command ends normally or by Ctrl-C, on a terminal. */
function mayAsk(context: Context): boolean {
  const { signal, options } = context;
  const isInterrupted = signal.reason instanceof SvcError && signal.reason.failure === 'interrupted';
  return canAsk(context) && !options.yes && (!signal.aborted || isInterrupted);
}
