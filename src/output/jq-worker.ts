import { parentPort } from 'node:worker_threads';
import { loadJq } from 'jq-wasm';

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

const jq = await loadJq();

parentPort?.on('message', ({ program, json }: JqJob) => {
  // Strings stay quoted here, because jq-wasm trims what jq prints.
  parentPort?.postMessage(jq.raw(json, program, ['--compact-output', '--']) satisfies JqResult);
});
