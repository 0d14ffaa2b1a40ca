import { parentPort } from 'node:worker_threads';
import { brotliDecompressSync } from 'node:zlib';
import { type Jq, loadJq } from 'jq-wasm';
import { builtFile } from '../kernel/parts.ts';

/** What the thread is asked, and what it answers: jq's own streams and exit code. */
export interface JqJob {
  readonly program: string;
  readonly json: string;
}

export interface JqResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

const loading = load();

parentPort?.on('message', async ({ program, json }: JqJob) => {
  const jq = await loading;
  // Strings stay quoted here, because jq-wasm trims what jq prints.
  parentPort?.postMessage(jq.raw(json, program, ['--compact-output', '--']) satisfies JqResult);
});

/** From the copy that the build packed; in the source jq-wasm finds its own. */
async function load(): Promise<Jq> {
  const packed = await builtFile('jq.wasm.br', import.meta.url);
  return loadJq(packed ? { wasmBinary: brotliDecompressSync(packed) } : {});
}
