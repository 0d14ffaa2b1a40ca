import { systemClock } from '../../src/kernel/clock.ts';
import { profileStore } from '../../src/profiles/store.ts';

/** A writer of its own process: adds the profiles named on its command line, one after the other, and says each. */
const [config = '', ...names] = process.argv.slice(2);
process.on('SIGXFSZ', () => undefined); // the limit on files shall be an error of the write, not the end of the process
const store = profileStore({ folders: { config, state: config, data: config }, clock: systemClock });
try {
  for (const name of names) {
    await store.add(name, { baseUrl: 'https://api.example.com', org: name.repeat(20) }, { authToken: `token-${name}` });
    process.stdout.write(`${name}\n`);
  }
} catch (error) {
  process.stderr.write(`${Object(error).failure}: ${error}\n`);
  process.exitCode = 1;
}
