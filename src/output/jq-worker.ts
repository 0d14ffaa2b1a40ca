import { parentPort } from 'node:worker_threads';
import { brotliDecompressSync } from 'node:zlib';
import { type Jq, loadJq } from 'jq-wasm';
import { readBuildFile } from '../kernel/bundled-programs.ts';

/** A message to the thread. The response has jq's own streams and exit code. */
export interface JqRequest {
  readonly program: string;
  readonly json: string;
}

export interface JqResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

const loading = load();

parentPort?.on('message', async ({ program, json }: JqRequest) => {
  const jq = await loading;
  // Strings stay quoted here, because jq-wasm trims what jq prints.
  parentPort?.postMessage(jq.raw(json, program, ['--compact-output', '--']) satisfies JqResult);
});

/** Loads the copy that the build packed. When svc runs from source, jq-wasm finds its own. */
async function load(): Promise<Jq> {
  const packed = await readBuildFile('jq.wasm.br', import.meta.url);
  return loadJq(packed ? { wasmBinary: brotliDecompressSync(packed) } : {});
}
