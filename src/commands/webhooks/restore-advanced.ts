import { loadResource } from '../../catalog/index.ts';
import { messageOf, SvcError } from '../../kernel/errors.ts';
import { connect } from '../call/connect.ts';
import { requireData } from '../call/require-data.ts';
import type { Context } from '../context.ts';
import { openPrompter } from '../terminal/open-prompter.ts';
import { canAsk } from '../terminal/terminal.ts';

/** Milliseconds for disabling advanced webhooks at the end of the command. */
const TIMEOUT = 5_000;

/**
 * Disables advanced webhooks again if the user wants that: with `--restore`, or after a question on a terminal. Asks nothing if
 * there are endpoints, which would receive nothing anymore. A failure is a warning, because the output is already complete.
 */
export async function restoreAdvancedWebhooks(context: Context, restore: boolean | undefined): Promise<void> {
  const asks = restore === undefined && mayAsk(context);
  if (!restore && !asks) return;
  try {
    const { io, environment } = context;
    if (asks) {
      if (await hasEndpoints(context)) return;
      const prompter = await openPrompter({ io, environment, signal: new AbortController().signal });
      if (!(await prompter.confirm('Disable advanced webhooks again?', true))) return;
    }
    await call(context, async (client) => {
      const config = await loadResource('webhook-config');
      await client.call(config['webhooks.advanced.update'], { isEnabled: false });
    });
    await context.note('disabled advanced webhooks again');
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

async function hasEndpoints(context: Context): Promise<boolean> {
  const endpoints = await loadResource('webhook-endpoints');
  return call(context, async (client) => {
    const page = requireData(await client.call(endpoints['webhooks.endpoints.list'], { limit: 1 }));
    return page.endpoints.length > 0;
  });
}

/** Makes a call although the command has been interrupted. */
async function call<Result>(
  context: Context,
  run: (client: Awaited<ReturnType<typeof connect>>['client']) => Promise<Result>,
): Promise<Result> {
  const { client, close } = await connect({ ...context, signal: AbortSignal.timeout(TIMEOUT) });
  return run(client).finally(close);
}
