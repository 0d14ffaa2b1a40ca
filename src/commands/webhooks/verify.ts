import { hint, SvcError, stepWithPlaceholder } from '../../kernel/errors.ts';
import { readNamedFile, readStdin } from '../../kernel/named-file.ts';
import { parseTimestamp } from '../../kernel/timestamp.ts';
import { groupHeaders } from '../../webhooks/headers.ts';
import { parsePrivateKey } from '../../webhooks/keys.ts';
import { unpackBody } from '../../webhooks/payload.ts';
import { readRecordFile } from '../../webhooks/recording.ts';
import {
  type ReceivedDelivery,
  type VerificationSecrets,
  verifyDelivery,
} from '../../webhooks/signature.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { printDocument } from '../terminal/print-document.ts';
import type { VerifyFlags } from './flags.ts';
import { parseHeaderText } from './header-text.ts';
import { readKey, readVerificationSecrets } from './keys.ts';

export async function verifyCommand(
  context: Context,
  invocation: Invocation<VerifyFlags>,
): Promise<void> {
  const { options } = invocation;
  const now = parseAtFlag(options.at, context.clock.now());
  const proofs = await readVerificationSecrets(options, context.signal);
  if (proofs.secrets.length === 0 && proofs.authToken === undefined) {
    throw new SvcError('usage', 'a secret or token is required to verify the delivery', {
      hint: 'add --secret-file for an advanced delivery, or --auth-token-file for a basic one',
    });
  }
  const privateKey = await readKey(context, options.privateKey, parsePrivateKey);
  const delivery = await readDelivery(context, invocation);
  await printDocument(context, verifyPayload(delivery, proofs, privateKey, now));
}

/** @throws SvcError `verification_failed` with the reason */
function verifyPayload(
  delivery: ReceivedDelivery,
  secrets: VerificationSecrets,
  privateKey: string | undefined,
  now: number,
) {
  const error = (reason: string, hint: string | false) =>
    new SvcError(
      'verification_failed',
      `the delivery failed verification: ${reason}`,
      hint ? { hint } : {},
    );
  const verification = verifyDelivery(secrets, delivery, now);
  if (!verification.verified) {
    const { reason } = verification;
    const isTimestampInvalid = reason.startsWith('the timestamp is ');
    throw error(
      reason,
      isTimestampInvalid && '--at <time> verifies the delivery as of the time it was received',
    );
  }
  const unpacked = unpackBody(Buffer.from(delivery.body).toString(), privateKey);
  if (!('reason' in unpacked)) return unpacked.payload;
  const isEncrypted = unpacked.kind === 'undecryptable';
  throw error(
    `the signature is valid, but ${unpacked.reason}`,
    isEncrypted && 'add --private-key <path> to decrypt the payload',
  );
}

async function readDelivery(
  context: Context,
  { arguments: [record], options }: Invocation<VerifyFlags>,
) {
  const { body, headers } = options;
  if (record !== undefined && body === undefined && headers === undefined) {
    const delivery = await readRecordFile(record, context.cwd, context.signal);
    return { headers: groupHeaders(delivery.headers), body: Buffer.from(delivery.body) };
  }
  if (record !== undefined || body === undefined || headers === undefined) {
    throw new SvcError('usage', 'specify either --body and --headers, or a recorded file', {
      hint: hint`${stepWithPlaceholder('inspect', ['webhooks', 'verify'], '--body body.json --headers headers.txt --secret-file secret.txt')}`,
    });
  }
  if (body === '-' && headers === '-')
    throw new SvcError('usage', 'only one of --body and --headers can be read from stdin');
  const text = (await readBytes(context, headers)).toString();
  return {
    headers: groupHeaders(parseHeaderText(text, headers)),
    body: await readBytes(context, body),
  };
}

async function readBytes({ io, cwd, signal }: Context, file: string): Promise<Buffer> {
  if (file === '-') return readStdin(io.stdin.stream, signal);
  return readNamedFile(file, cwd, { signal });
}

function parseAtFlag(text: string | undefined, now: number): number {
  if (text === undefined) return now;
  const timestamp = parseTimestamp(text, now);
  if (timestamp) return timestamp.seconds * 1000;
  throw new SvcError('usage', `--at must be a time, got '${text}'`, {
    hint: 'use a value like 2026-03-01T12:00:00Z, or seconds since the epoch',
  });
}
