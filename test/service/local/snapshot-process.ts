import { DatabaseSync } from 'node:sqlite';
import { createSnapshots } from '../../../src/service/local/snapshots/snapshots.ts';
import { countGenerations } from './generations.ts';

/**
 * Process that uses the snapshots of a store until it is killed, or reads the store until its input
 * ends.
 */
const [path = '', mode = ''] = process.argv.slice(2);
if (mode === 'read') await read();
else await saveAndRestore();

async function saveAndRestore(): Promise<void> {
  const snapshots = createSnapshots(path);
  process.stdout.write('ready\n');
  for (;;) {
    for (const name of ['one', 'two']) {
      await snapshots.restore(name);
      await snapshots.save('saved');
    }
  }
}

/** Prints the number of reads and of reads that saw rows of two generations. */
async function read(): Promise<void> {
  const database = new DatabaseSync(path, { timeout: 10_000 });
  let [reads, mixed, isStopping] = [0, 0, false];
  const seen = new Set<number>();
  process.stdin.resume().on('end', () => {
    isStopping = true;
  });
  process.stdout.write('ready\n');
  while (!isStopping) {
    const found = countGenerations(database);
    reads += 1;
    if (found.length !== 1) mixed += 1;
    for (const generation of found) seen.add(generation);
    await new Promise((resolve) => setImmediate(resolve));
  }
  process.stdout.write(`${JSON.stringify({ reads, mixed, seen: [...seen].toSorted() })}\n`);
}
