import { findJob } from '../../bulk/journal/job-folder.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { supportsUnicode } from '../terminal/terminal.ts';
import { readReceipt } from './receipt/read-receipt.ts';
import { renderReceipt } from './receipt/render-receipt.ts';

export async function showJob(
  context: Context,
  { arguments: [job = ''] }: Invocation,
): Promise<void> {
  const receipt = await readReceipt(await findJob(context.folders, job));
  const {
    id,
    operation,
    state,
    input: _input,
    inputs,
    paths,
    histogram: _histogram,
    ...others
  } = receipt;
  const files = inputs.map(({ format, bytes, sha256 }, at) => ({
    path: paths[at],
    format,
    bytes,
    sha256,
  }));
  const read = files.length === 1 ? { input: files[0] } : { inputs: files };
  const printer = await context.printer();
  const isAccessible = Boolean(context.environment['ACCESSIBLE']);
  await printer.value(
    { id, operation, state, ...read, ...others },
    {
      renderText: ({ isTerminal, width }) =>
        renderReceipt(receipt, {
          plain: isAccessible || (isTerminal && !supportsUnicode(context)),
          width,
        }),
    },
  );
}
