import { spawn, spawnSync } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  languageOf,
  readSnippet,
  SNIPPET_FRAMEWORKS,
  SNIPPET_LANGUAGES,
  type SnippetFramework,
  type SnippetLanguage,
} from '../../src/webhooks/snippets.ts';
import { SLOW } from '../slow.ts';
import { newSecret } from '../webhooks/listener-fixture.ts';
import { newUserInProcess } from './in-process.ts';
import { HOME, type User } from './svc.ts';

type Receiver = SnippetLanguage | SnippetFramework;

interface Program {
  readonly run: (port: number) => readonly [command: string, ...words: readonly string[]];
  readonly files: (code: string) => Readonly<Record<string, string>>;
  /** Command that succeeds if the program can run here. */
  readonly check?: readonly [command: string, ...words: readonly string[]];
  /** Whether the program takes only a port that is known before it starts. */
  readonly needsPort?: true;
}

/** Prints the port of every server that a Node.js program starts. */
const PRINT_PORT = `import { Server } from 'node:net';
const { listen } = Server.prototype;
Server.prototype.listen = function (...words) {
  this.once('listening', () => console.log('port ' + this.address().port));
  return listen.apply(this, words);
};`;

/** Serves a function from Request to Response, as the hosts of these frameworks do. */
const SERVE_FETCH = `import { createServer } from 'node:http';
import { Readable } from 'node:stream';
export function serve(handle) {
  createServer(async (incoming, response) => {
    const { method, url, headers } = incoming;
    const body = method === 'POST' ? { body: Readable.toWeb(incoming), duplex: 'half' } : {};
    try {
      const request = new Request('http://127.0.0.1' + url, { method, headers, ...body });
      const { status } = await handle(request);
      response.writeHead(status, { connection: 'close' }).end();
    } catch {
      response.destroy();
    }
  }).listen(0);
}`;

const nodeProgram = (
  main = 'receiver.mjs',
  files: Readonly<Record<string, string>> = {},
): Program => ({
  run: () => [process.execPath, '--import', './print-port.mjs', main],
  files: (code) => ({ 'receiver.mjs': code, 'print-port.mjs': PRINT_PORT, ...files }),
});

const fetchProgram = (main: string): Program =>
  nodeProgram('main.mjs', { 'serve.mjs': SERVE_FETCH, 'main.mjs': main });

const PRINT_PORT_IN_PYTHON = `import runpy, socketserver
activate = socketserver.TCPServer.server_activate
def server_activate(self):
    activate(self)
    print("port", self.server_address[1], flush=True)
socketserver.TCPServer.server_activate = server_activate
runpy.run_path("receiver.py", run_name="__main__")
`;

const python = (check: string): Program => ({
  check: ['python3', '-c', check],
  run: () => ['python3', 'main.py'],
  files: (code) => ({ 'receiver.py': code, 'main.py': PRINT_PORT_IN_PYTHON }),
});

const PROGRAMS: Readonly<Partial<Record<Receiver, Program>>> = {
  node: nodeProgram(),
  express: nodeProgram(),
  fastify: nodeProgram(),
  hono: fetchProgram(
    "import { serve } from './serve.mjs';\nimport app from './receiver.mjs';\nserve(app.fetch);",
  ),
  // Next.js responds with 405 to a method that the route does not export.
  nextjs: fetchProgram(`import { serve } from './serve.mjs';
import * as route from './receiver.mjs';
serve((request) => route[request.method]?.(request) ?? new Response(null, { status: 405 }));`),
  python: python('import http.server'),
  flask: python('import flask'),
  go: {
    check: ['go', 'version'],
    needsPort: true,
    run: () => ['go', 'run', 'receiver.go', 'main.go'],
    files: (code) => ({
      'receiver.go': code,
      'main.go': `package main

import ("net/http"; "os")

func main() { http.HandleFunc("/hook", Receive); http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil) }
`,
    }),
  },
  php: {
    check: ['php', '--version'],
    needsPort: true,
    run: (port) => ['php', '-S', `127.0.0.1:${port}`, 'receiver.php'],
    files: (code) => ({ 'receiver.php': `${code}\nreceive();\n` }),
  },
};

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

async function startReceiver(user: User, name: Receiver, { run, files, needsPort }: Program) {
  const isFramework = (SNIPPET_FRAMEWORKS as readonly string[]).includes(name);
  const framework = isFramework ? (name as SnippetFramework) : undefined;
  const code = await readSnippet(
    framework ? languageOf(framework) : (name as SnippetLanguage),
    framework,
  );
  for (const [file, text] of Object.entries(files(code)))
    await writeFile(join(user.home, file), text);
  await symlink(join(HOME, 'node_modules'), join(user.home, 'node_modules'));
  const secret = newSecret();
  await writeFile(join(user.home, 'secret'), secret);
  const port = needsPort ? await findFreePort() : 0;
  const [command, ...words] = run(port);
  const env = {
    ...user.env,
    PATH: process.env['PATH'] ?? '',
    PORT: String(port),
    WEBHOOK_SECRET: secret,
    PHP_CLI_SERVER_WORKERS: '4',
  };
  const child = spawn(command, words, { cwd: user.home, env, detached: true });
  onTestFinished(() => void process.kill(-(child.pid ?? 0), 'SIGKILL'));
  if (needsPort) {
    await waitUntilReachable(port);
    return `http://127.0.0.1:${port}/hook`;
  }
  child.stderr.resume();
  for await (const line of createInterface(child.stdout)) {
    const found = /^port (\d+)$/.exec(line)?.[1];
    if (found !== undefined) return `http://127.0.0.1:${found}/hook`;
  }
  throw new Error(`the receiver ${name} did not start`);
}

async function waitUntilReachable(port: number): Promise<void> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/hook`).catch(() => undefined);
    if (response) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('the receiver of svc webhooks snippet passes every case of svc webhooks test', () => {
  for (const [name, program] of Object.entries(PROGRAMS) as [Receiver, Program][]) {
    const [checker, ...flags] = program.check ?? [process.execPath, '--version'];
    const canRun = spawnSync(checker, flags, { cwd: HOME }).status === 0;
    it.skipIf(!canRun)(`in ${name}`, { ...SLOW, timeout: 120_000 }, async () => {
      const user = await newUserInProcess();
      const url = await startReceiver(user, name, program);
      const secret = join(user.home, 'secret');
      const words = ['webhooks', 'test', url, '--secret-file', secret, '-o', 'json'];
      const { stdout, stderr } = await user.svc(words);
      const grades: readonly { case: string; verdict: string; did: string }[] = JSON.parse(
        stdout || `"${stderr}"`,
      );
      expect(grades.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
      expect(
        grades.filter(({ verdict }) => verdict === 'skipped').map((grade) => grade.case),
      ).toEqual(['encrypted']);
    });
  }
});

it('every framework has a language, and every receiver but that of Rails runs in a test', () => {
  const names: readonly string[] = [...SNIPPET_LANGUAGES, ...SNIPPET_FRAMEWORKS];
  expect(names.filter((name) => !Object.hasOwn(PROGRAMS, name))).toEqual(['ruby']);
});

it('a framework selects its language, and rejects another', async () => {
  const { svc } = await newUserInProcess();
  const flask = await svc(['webhooks', 'snippet', '--framework', 'flask']);
  expect(flask).toMatchObject({ code: 0, stdout: await readSnippet('python', 'flask') });
  expect(await svc(['webhooks', 'snippet', '--lang', 'go', '--framework', 'flask'])).toMatchObject({
    code: 2,
    stderr: 'svc: --framework flask requires --lang python\n',
  });
});
