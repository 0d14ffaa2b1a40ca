import { type CommandDefinition, defineCommand } from '../definition.ts';
import { EVENT_COLUMNS, RECORDED_COLUMNS } from './columns.ts';
import {
  LISTEN_FLAGS,
  REPLAY_FLAGS,
  SEND_FLAGS,
  SNIPPET_FLAGS,
  TEST_FLAGS,
  VERIFY_FLAGS,
} from './flags.ts';

export const WEBHOOK_COMMANDS: readonly CommandDefinition[] = [
  {
    command: ['webhooks', 'events'],
    globalFlags: ['result'],
    summary: 'List the known event types',
    description:
      'Shows the meaning of each event type, and whether it is enabled by default when basic webhooks are first turned on.',
    columns: EVENT_COLUMNS,
    listEnd: 'complete',
    load: async () => (await import('./events.ts')).eventsCommand,
  },
  defineCommand({
    command: ['webhooks', 'listen'],
    globalFlags: ['service', 'result', 'dry-run'],
    summary: 'Receive, verify, and forward deliveries',
    description:
      'Verifies the signature or token of each delivery before recording and forwarding it, and responds with 401 if verification fails. Responds with 2xx only after the forwarding target responds with 2xx. With the embedded service (--local), a service on this machine, or --public-url, creates a temporary endpoint and deletes it on exit. Re-signs the deliveries of this endpoint with the signing secret of this machine, or with the secret in --secret-file. On a terminal, press r to replay the latest delivery.',
    examples: {
      'svc webhooks listen --local': 'receive deliveries from the embedded service',
      "svc webhooks listen --local --events 'comment.*' --forward-to http://127.0.0.1:3000/hook":
        'forward only some events',
      'svc webhooks listen --secret-file secret.txt --forward-to http://127.0.0.1:3000/hook':
        'verify, show, and forward deliveries',
      'svc webhooks listen --auth-token-file token.txt --exit-after 1 -o ndjson':
        'wait for one basic delivery',
    },
    options: LISTEN_FLAGS,
    load: async () => (await import('./listen.ts')).listenCommand,
  }),
  defineCommand({
    command: ['webhooks', 'send'],
    globalFlags: ['service', 'result', 'dry-run'],
    summary: 'Send a delivery as the service would',
    description:
      'Sends a sample payload for the event type. Use --set or --from-file to change the payload. Profile credentials are never sent to --url. Prints the response of the receiver, and exits with 8 unless its status is 2xx.',
    examples: {
      'svc webhooks send comment.add --url http://127.0.0.1:3000/hook --secret-file secret.txt':
        'send a signed delivery',
      "svc webhooks send comment.add --url http://127.0.0.1:3000/hook --set 'data.targetComment.commentText=Hello'":
        'send a custom payload',
      'svc webhooks send comment.add --url http://127.0.0.1:3000/hook --auth-token-file token.txt --encode':
        'send a base64-encoded basic delivery',
      'svc webhooks send comment.add --via-service --local': 'send to every subscribed endpoint',
    },
    arguments: [
      {
        name: 'event',
        description: 'event type, as listed by svc webhooks events',
        required: true,
      },
    ],
    options: SEND_FLAGS,
    load: async () => (await import('./send.ts')).sendCommand,
  }),
  defineCommand({
    command: ['webhooks', 'snippet'],
    globalFlags: ['result'],
    summary: 'Print a receiver that verifies deliveries',
    description:
      'The code verifies the raw body of a request with the standard library of the language, and compares signatures in constant time. It passes svc webhooks test. Reads the signing secret from WEBHOOK_SECRET.',
    examples: {
      'svc webhooks snippet --lang node': 'print code for Node.js',
      'svc webhooks snippet --lang node --framework express': 'print a receiver for Express',
      'svc webhooks snippet --lang go > verify.go': 'write Go code to a file',
    },
    options: SNIPPET_FLAGS,
    load: async () => (await import('./snippet.ts')).snippetCommand,
  }),
  defineCommand({
    command: ['webhooks', 'verify'],
    globalFlags: ['result'],
    summary: 'Check a saved delivery',
    description:
      'Prints the decoded and decrypted payload of a valid delivery. For an invalid delivery, prints the reason and exits with 14. Takes a file recorded by svc webhooks listen, or a body and its headers.',
    examples: {
      'svc webhooks verify --body body.json --headers headers.txt --secret-file secret.txt':
        'verify the signature',
      'svc webhooks verify --body b --headers h --secret-file s --at 2026-03-01T12:00:00Z':
        'verify the delivery as of the time of receipt',
    },
    arguments: [
      {
        name: 'file',
        description: 'file of a recorded delivery',
        required: false,
        file: 'input',
      },
    ],
    options: VERIFY_FLAGS,
    load: async () => (await import('./verify.ts')).verifyCommand,
  }),
  defineCommand({
    command: ['webhooks', 'test'],
    globalFlags: ['request', 'result', 'dry-run'],
    summary: 'Test a webhook receiver',
    description:
      'Sends valid, duplicate, out-of-order, encoded, encrypted, slow, forged, stale, truncated, and oversized (11 MB) deliveries. Prints the expected and the actual behavior of the receiver, and exits with 10 if it fails a case. Profile credentials are never sent.',
    examples: {
      'svc webhooks test http://127.0.0.1:3000/hook --secret-file secret.txt':
        'test a receiver of signed deliveries',
      'svc webhooks test http://127.0.0.1:3000/hook --auth-token-file token.txt --skip encoded':
        'test a receiver of basic deliveries without encoding',
    },
    arguments: [{ name: 'url', description: 'URL of the receiver', required: true }],
    options: TEST_FLAGS,
    load: async () => (await import('./test.ts')).testCommand,
  }),
  defineCommand({
    command: ['webhooks', 'replay'],
    globalFlags: ['service', 'result', 'dry-run'],
    summary: 'Send recorded deliveries again',
    description:
      'Sends deliveries recorded by svc webhooks listen, with their original bytes and headers. --resign renews the expired timestamps and signatures. --auth-token-file adds a token to basic deliveries, because recordings do not contain tokens. Exits with 10 if a target rejects a delivery.',
    examples: {
      'svc webhooks replay --list': 'list the recorded deliveries',
      'svc webhooks replay --since 2h --forward-to http://127.0.0.1:3000/hook --resign --secret-file secret.txt':
        'replay the last two hours with new signatures',
    },
    arguments: [{ name: 'id', description: 'delivery IDs', required: false, many: true }],
    options: REPLAY_FLAGS,
    columns: RECORDED_COLUMNS,
    listEnd: 'complete',
    load: async () => (await import('./replay.ts')).replayCommand,
  }),
  {
    command: ['webhooks', 'setup'],
    globalFlags: ['service', 'result', 'dry-run'],
    summary: 'Create an advanced webhook endpoint interactively',
    description:
      'Prompts for the URL and events, shows the request and the equivalent command, creates the endpoint, and prints its signing secret. Nothing is written before the final confirmation, which also offers all other settings. Values given as flags are not prompted for. ACCESSIBLE=1 uses plain, numbered prompts.',
    examples: {
      'svc webhooks setup': 'prompt for everything',
      'svc webhooks setup --url https://example.com/hook': 'pass the URL, and prompt for the rest',
    },
    flagsOf: 'webhooks.endpoints.create',
    load: async () => (await import('./endpoint.ts')).setUpEndpoint,
  },
];
