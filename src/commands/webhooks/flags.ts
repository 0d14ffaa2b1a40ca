import { join, resolve } from 'node:path';
import { WEBHOOK_FORMS } from '../../webhooks/form.ts';
import { CASE_NAMES } from '../../webhooks/grading/case-names.ts';
import { SNIPPET_FRAMEWORKS, SNIPPET_LANGUAGES } from '../../webhooks/snippets.ts';
import { ALLOW_UNKNOWN_EVENT_FLAG } from '../call/call-flags.ts';
import type { Context } from '../context.ts';
import type { OptionDefinition, OptionsOf } from '../definition.ts';

const FORWARDING_FLAGS = [
  { flags: '--forward-to <url>', description: 'URL to forward deliveries to' },
  {
    flags: '--route <pattern=url>',
    description:
      "URL for event types that match a pattern, such as 'comment.*=http://…'; the first match wins",
    many: true,
  },
] as const satisfies readonly OptionDefinition[];

export type ForwardingFlags = OptionsOf<typeof FORWARDING_FLAGS>;

const SHARED = {
  secretFiles: {
    flags: '--secret-file <path>',
    description: 'file with a signing secret',
    many: true,
  },
  tokenFile: {
    flags: '--auth-token-file <path>',
    description: 'file with the token of basic deliveries',
  },
  form: {
    flags: '--form <form>',
    description: 'form of deliveries (default: basic with --auth-token-file, otherwise advanced)',
    choices: WEBHOOK_FORMS,
  },
  privateKey: {
    flags: '--private-key <path>',
    description: 'file with the RSA private key that decrypts payloads',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
const RECORD = 'folder for recorded deliveries (default: webhooks/ in the state folder)';

export function recordFolder({ folders, cwd }: Context, named: string | undefined): string {
  return named === undefined ? join(folders.state, 'webhooks') : resolve(cwd, named);
}

export const LISTEN_FLAGS = [
  { flags: '--port <n>', description: 'port to listen on, or 0 for any free port (default: 4400)' },
  { flags: '--host <address>', description: 'address to listen on (default: 127.0.0.1)' },
  SHARED.secretFiles,
  SHARED.tokenFile,
  SHARED.privateKey,
  ...FORWARDING_FLAGS,
  {
    flags: '--forward-decoded',
    description: 'forward the decoded payload instead of the original bytes',
  },
  {
    flags: '--events <types>',
    description:
      'event types to receive, comma-separated; * matches any text (repeatable; default: all)',
    many: true,
  },
  ALLOW_UNKNOWN_EVENT_FLAG,
  { flags: '--record <dir>', description: RECORD },
  { flags: '--no-record', description: 'do not record deliveries' },
  { flags: '--exit-after <n>', description: 'exit after this many accepted deliveries' },
  {
    flags: '--public-url <url>',
    description: 'public URL of a tunnel to this listener, for the temporary endpoint',
  },
  {
    flags: '--allow-host <name>',
    description: 'additional host name to accept',
    many: true,
  },
  {
    flags: '--restore',
    description: 'on exit, disable advanced webhooks again if this command enabled them',
  },
  { flags: '--no-restore', description: 'leave advanced webhooks enabled without asking' },
  { flags: '--print-secret', description: "print this machine's signing secret, and exit" },
  {
    flags: '--insecure-skip-verify',
    description: 'accept all deliveries, and mark them as unverified',
  },
] as const satisfies readonly OptionDefinition[];

export type ListenFlags = OptionsOf<typeof LISTEN_FLAGS>;

export const SEND_FLAGS = [
  { flags: '--url <url>', description: 'URL of the receiver' },
  {
    flags: '--via-service',
    description: 'deliver through the embedded service to its endpoints (requires --local)',
  },
  SHARED.form,
  {
    flags: '--secret-file <path>',
    description: 'file with the signing secret of an advanced delivery',
  },
  SHARED.tokenFile,
  { flags: '--encode', description: 'base64-encode the payload' },
  {
    flags: '--encrypt-for <path>',
    description: 'file with the RSA public key to encrypt the payload with',
  },
  {
    flags: '--channel <channel>',
    description: 'channel of the event, with --via-service',
    many: true,
  },
  {
    flags: '--set <path=value>',
    description: 'set a field of the payload to a JSON value or text',
    many: true,
  },
  {
    flags: '--from-file <path>',
    description: "file with the payload to send instead of the sample, or '-' for stdin",
  },
  ALLOW_UNKNOWN_EVENT_FLAG,
] as const satisfies readonly OptionDefinition[];

export type SendFlags = OptionsOf<typeof SEND_FLAGS>;

export const VERIFY_FLAGS = [
  { flags: '--body <path>', description: "file with the body, or '-' for stdin" },
  {
    flags: '--headers <path>',
    description:
      "file with the headers: lines of 'name: value', output of curl -v, JSON, or a HAR file",
  },
  SHARED.secretFiles,
  SHARED.tokenFile,
  SHARED.privateKey,
  {
    flags: '--at <time>',
    description: 'time of receipt, to check the timestamp against (default: now)',
  },
] as const satisfies readonly OptionDefinition[];

export type VerifyFlags = OptionsOf<typeof VERIFY_FLAGS>;

export const TEST_FLAGS = [
  SHARED.form,
  { flags: '--secret-file <path>', description: 'file with the signing secret of the receiver' },
  SHARED.tokenFile,
  {
    flags: '--encrypt-for <path>',
    description: "file with the receiver's RSA public key, to test encrypted deliveries",
  },
  {
    flags: '--effects-url <url>',
    description: 'URL where the receiver lists the IDs of applied deliveries as JSON',
  },
  {
    flags: '--only <case>',
    description: 'run only this case',
    choices: CASE_NAMES,
    many: true,
  },
  {
    flags: '--skip <case>',
    description: 'skip this case',
    choices: CASE_NAMES,
    many: true,
  },
] as const satisfies readonly OptionDefinition[];

export type TestFlags = OptionsOf<typeof TEST_FLAGS>;

export const SNIPPET_FLAGS = [
  { flags: '--lang <language>', description: 'language of the code', choices: SNIPPET_LANGUAGES },
  {
    flags: '--framework <name>',
    description: 'framework of the receiver (default: none)',
    choices: SNIPPET_FRAMEWORKS,
  },
] as const satisfies readonly OptionDefinition[];

export type SnippetFlags = OptionsOf<typeof SNIPPET_FLAGS>;

export const REPLAY_FLAGS = [
  { flags: '--since <time>', description: 'start of the period: 2h, 7d, or a time' },
  { flags: '--list', description: 'list the deliveries without sending them' },
  ...FORWARDING_FLAGS,
  { flags: '--record <dir>', description: RECORD },
  { flags: '--resign', description: 'renew the timestamp and signature (requires --secret-file)' },
  { flags: '--secret-file <path>', description: 'file with the signing secret for --resign' },
  { ...SHARED.tokenFile, description: 'file with the token to add to basic deliveries' },
] as const satisfies readonly OptionDefinition[];

export type ReplayFlags = OptionsOf<typeof REPLAY_FLAGS>;
