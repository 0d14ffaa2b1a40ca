import { FORMS } from '../../webhooks/form.ts';
import { CASE_NAMES } from '../../webhooks/grading/case-names.ts';
import type { CommandDefinition, OptionDefinition } from '../definition.ts';

const SECRET_FILES: OptionDefinition = {
  flags: '--secret-file <path>',
  describes: 'file with a signing secret; several times for several secrets',
  many: true,
};
const TOKEN_FILE: OptionDefinition = {
  flags: '--auth-token-file <path>',
  describes: 'file with the token that basic deliveries carry',
};
const FORM: OptionDefinition = {
  flags: '--form <form>',
  describes: 'form of deliveries (advanced; basic with a token)',
  choices: FORMS,
};
const PRIVATE_KEY: OptionDefinition = {
  flags: '--private-key <path>',
  describes: 'RSA private key that opens encrypted payloads',
};
const FORWARD_TO: OptionDefinition = { flags: '--forward-to <url>', describes: 'where deliveries are sent on to' };
const ROUTE: OptionDefinition = {
  flags: '--route <pattern=url>',
  describes: "where those of some event types go: 'comment.*=http://…'; the first that fits counts",
  many: true,
};
const RECORD = 'folder of recorded deliveries (webhooks/ below the state folder)';

/** The commands that send, receive and check deliveries. */
export const WEBHOOK_COMMANDS: readonly CommandDefinition[] = [
  {
    command: ['webhooks', 'events'],
    summary: 'List the known event types',
    description: 'With what each is about, and whether it is on once basic webhooks are enabled for the first time.',
    load: async () => (await import('./events.ts')).eventsCommand,
  },
  {
    command: ['webhooks', 'listen'],
    summary: 'Receive deliveries, show them, and send them on',
    description:
      'Verifies each delivery as it came, by signature or token, before it is read, recorded and sent on; what does not verify is answered 401 and goes nowhere. The sender gets a 2xx only after the target gave one. With neither secret nor token it makes an endpoint for itself, signed with a secret that only it knows, and takes it away at the end: with --local in the embedded service, else in a service on this machine, or through --public-url in any.',
    examples: [
      { command: 'svc webhooks listen --local', does: 'what the embedded service delivers' },
      {
        command: 'svc webhooks listen --secret-file secret.txt --forward-to http://127.0.0.1:3000/hook',
        does: 'verify, show, and send on',
      },
      {
        command: 'svc webhooks listen --auth-token-file token.txt --exit-after 1 -o ndjson',
        does: 'wait for one basic delivery',
      },
    ],
    options: [
      { flags: '--port <n>', describes: 'port to listen on (4400; 0 takes a free one)' },
      { flags: '--host <address>', describes: 'address to listen on (127.0.0.1)' },
      SECRET_FILES,
      TOKEN_FILE,
      PRIVATE_KEY,
      FORWARD_TO,
      ROUTE,
      { flags: '--forward-decoded', describes: 'send on the decoded payload instead of the bytes as they came' },
      { flags: '--record <dir>', describes: RECORD },
      { flags: '--no-record', describes: 'record nothing' },
      { flags: '--exit-after <n>', describes: 'end after so many deliveries were taken' },
      { flags: '--public-url <url>', describes: 'address of a tunnel that leads here, to make an endpoint for' },
      { flags: '--allow-host <name>', describes: 'a further host name that requests may be for', many: true },
      { flags: '--insecure-skip-verify', describes: 'take everything, marked as not verified' },
    ],
    load: async () => (await import('./listen.ts')).listenCommand,
  },
  {
    command: ['webhooks', 'send'],
    summary: 'Send a delivery as the service would',
    description:
      'The payload is a realistic sample for the event type, changed with --set or taken from a file. Nothing of a profile goes along to a --url. Prints what the receiver answered; anything but 2xx is exit 8.',
    examples: [
      {
        command: 'svc webhooks send comment.add --url http://127.0.0.1:3000/hook --secret-file secret.txt',
        does: 'a signed delivery',
      },
      {
        command:
          "svc webhooks send comment.add --url http://127.0.0.1:3000/hook --set 'data.targetComment.commentText=Hello'",
        does: 'a payload of your own',
      },
      {
        command: 'svc webhooks send comment.add --url http://127.0.0.1:3000/hook --auth-token-file token.txt --encode',
        does: 'a basic delivery, base64-encoded',
      },
      { command: 'svc webhooks send comment.add --via-service --local', does: 'to every endpoint that wants it' },
    ],
    arguments: [{ name: 'event', describes: 'an event type; svc webhooks events lists them', required: true }],
    options: [
      { flags: '--url <url>', describes: 'where the receiver is' },
      { flags: '--via-service', describes: 'let the embedded service deliver it to its endpoints; needs --local' },
      FORM,
      { flags: '--secret-file <path>', describes: 'file with the secret that signs an advanced delivery' },
      TOKEN_FILE,
      { flags: '--encode', describes: 'base64-encode the payload' },
      { flags: '--encrypt-for <path>', describes: 'encrypt the payload with this RSA public key' },
      { flags: '--channel <channel>', describes: 'with --via-service: a channel that the event is of', many: true },
      { flags: '--set <path=value>', describes: 'put a value, as JSON or text, into the payload', many: true },
      { flags: '--from-file <path>', describes: "payload to send instead of the sample; '-' for stdin" },
    ],
    load: async () => (await import('./send.ts')).sendCommand,
  },
  {
    command: ['webhooks', 'verify'],
    summary: 'Check a saved delivery',
    description:
      "Prints the payload, decoded and decrypted, of a delivery that verifies; says why of one that does not, and exits with 14. The delivery is a file that listen recorded, or a body and its headers; '-' is stdin.",
    examples: [
      {
        command: 'svc webhooks verify --body body.json --headers headers.txt --secret-file secret.txt',
        does: 'by signature',
      },
      {
        command: 'svc webhooks verify --body b --headers h --secret-file s --at 2026-03-01T12:00:00Z',
        does: 'as of the time it came',
      },
    ],
    arguments: [{ name: 'file', describes: 'a recorded delivery', required: false }],
    options: [
      { flags: '--body <path>', describes: 'the body, byte for byte' },
      { flags: '--headers <path>', describes: "the headers: a JSON object, or lines of 'name: value'" },
      SECRET_FILES,
      TOKEN_FILE,
      PRIVATE_KEY,
      { flags: '--at <time>', describes: 'when it came, for its timestamp (now)' },
    ],
    load: async () => (await import('./verify.ts')).verifyCommand,
  },
  {
    command: ['webhooks', 'test'],
    summary: 'Grade a receiver',
    description:
      'Sends a receiver what it will meet sooner or later: valid deliveries, repeated, late, encoded, encrypted and slow ones, forged and stale ones, one that is cut short, one of 11 MB. Prints what it did and what it should have done; exits with 10 when it failed a case. Nothing of a profile goes along.',
    examples: [
      {
        command: 'svc webhooks test http://127.0.0.1:3000/hook --secret-file secret.txt',
        does: 'a receiver of signed deliveries',
      },
      {
        command: 'svc webhooks test http://127.0.0.1:3000/hook --auth-token-file token.txt --skip encoded',
        does: 'one of basic deliveries, which come without encoding',
      },
    ],
    arguments: [{ name: 'url', describes: 'where the receiver is', required: true }],
    options: [
      FORM,
      { flags: '--secret-file <path>', describes: 'file with the secret that the receiver verifies with' },
      TOKEN_FILE,
      { flags: '--encrypt-for <path>', describes: "the receiver's RSA public key, to try encrypted deliveries" },
      { flags: '--effects-url <url>', describes: 'where the receiver lists, as JSON, the ids of what it applied' },
      { flags: '--only <case>', describes: 'try only these cases', choices: CASE_NAMES, many: true },
      { flags: '--skip <case>', describes: 'leave this case out', choices: CASE_NAMES, many: true },
    ],
    load: async () => (await import('./test/test.ts')).testCommand,
  },
  {
    command: ['webhooks', 'replay'],
    summary: 'Send recorded deliveries again',
    description:
      'Sends what listen recorded, the bytes and headers as they came. Their timestamps are old by then: --resign renews them. Tokens of basic deliveries were not recorded: --auth-token-file adds one. Exits with 10 when a target did not take one.',
    examples: [
      { command: 'svc webhooks replay --list', does: 'what was recorded' },
      {
        command:
          'svc webhooks replay --since 2h --forward-to http://127.0.0.1:3000/hook --resign --secret-file secret.txt',
        does: 'the last two hours, signed anew',
      },
    ],
    arguments: [{ name: 'id', describes: 'ids of deliveries', required: false, many: true }],
    options: [
      { flags: '--since <time>', describes: 'those that came since then: 2h, or a time' },
      { flags: '--list', describes: 'only list them' },
      FORWARD_TO,
      ROUTE,
      { flags: '--record <dir>', describes: RECORD },
      { flags: '--resign', describes: 'renew timestamp and signature; needs --secret-file' },
      { flags: '--secret-file <path>', describes: 'file with the secret that signs them anew' },
      { ...TOKEN_FILE, describes: 'file with the token that basic deliveries get' },
    ],
    load: async () => (await import('./replay.ts')).replayCommand,
  },
];
