import { buffer } from 'node:stream/consumers';
import { abortable } from '../../kernel/abortable.ts';
import { SvcError } from '../../kernel/errors.ts';
import { hint, template } from '../../kernel/hint.ts';
import { parseMoment } from '../../kernel/moment.ts';
import { readNamedFile } from '../../kernel/named-file.ts';
import { headersByName } from '../../webhooks/headers.ts';
import { unpackBody } from '../../webhooks/payload.ts';
import { readRecordFile } from '../../webhooks/recording.ts';
import type { ReceivedDelivery } from '../../webhooks/signature.ts';
import { type Proofs, verifyDelivery } from '../../webhooks/verification.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { textValue } from '../option-values.ts';
import { showDocument } from '../terminal/document.ts';
import { parseHeaders } from './header-file.ts';
import { readPrivateKey, readProofs } from './keys.ts';

export async function verifyCommand(context: Context, invocation: Invocation): Promise<void> {
  const { options } = invocation;
  const now = momentOf(textValue(options, 'at'), context.clock.now());
  const proofs = await readProofs(invocation, context.signal);
  if (proofs.secrets.length === 0 && proofs.authToken === undefined) {
    throw new SvcError('usage', 'there is nothing to verify the delivery with', {
      hint: 'add --secret-file for a signed delivery, --auth-token-file for a basic one',
    });
  }
  const privateKey = await readPrivateKey(context, options);
  const delivery = await readDelivery(context, invocation);
  await showDocument(context, verifiedPayload(delivery, { ...proofs, privateKey, now }));
}

interface Means extends Proofs {
  readonly privateKey: string | undefined;
  readonly now: number;
}

/** The payload of a delivery that verifies. @throws SvcError `verification_failed` with the reason */
export function verifiedPayload(delivery: ReceivedDelivery, means: Means): unknown {
  const verification = verifyDelivery(means, delivery, means.now);
  if (!verification.verified) {
    const isOutOfTime = verification.reason.startsWith('the timestamp is ');
    throw failed(verification.reason, isOutOfTime ? { hint: '--at <time> checks it as of the time when it came' } : {});
  }
  const unpacked = unpackBody(Buffer.from(delivery.body).toString(), means.privateKey);
  if ('reason' in unpacked) {
    const hint = unpacked.how === 'sealed' ? { hint: '--private-key <path> names the key to decrypt it with' } : {};
    throw failed(`it is verified, but ${unpacked.reason}`, hint);
  }
  return unpacked.payload;
}

function failed(reason: string, detail: { readonly hint?: string } = {}): SvcError {
  return new SvcError('verification_failed', `the delivery does not verify: ${reason}`, detail);
}

async function readDelivery(context: Context, { arguments: [record], options }: Invocation): Promise<ReceivedDelivery> {
  const [body, headers] = [textValue(options, 'body'), textValue(options, 'headers')];
  if (record !== undefined && body === undefined && headers === undefined) {
    const delivery = await readRecordFile(record, context);
    return { headers: headersByName(delivery.headers), body: Buffer.from(delivery.body) };
  }
  if (record !== undefined || body === undefined || headers === undefined) {
    throw new SvcError(
      'usage',
      'a delivery is given by --body and --headers, or as a file that webhooks listen wrote',
      {
        hint: hint`${template('inspect', ['webhooks', 'verify'], '--body body.json --headers headers.txt --secret-file secret.txt')}`,
      },
    );
  }
  if (body === '-' && headers === '-') throw new SvcError('usage', 'only one of --body and --headers can be stdin');
  const text = (await readBytes(context, headers)).toString();
  return { headers: headersByName(parseHeaders(text, headers)), body: await readBytes(context, body) };
}

async function readBytes({ io, cwd, signal }: Context, file: string): Promise<Buffer> {
  if (file === '-') return buffer(abortable(io.stdin.stream, signal));
  return readNamedFile(file, cwd, { signal });
}

/** Milliseconds of `--at`, or now. */
function momentOf(text: string | undefined, now: number): number {
  if (text === undefined) return now;
  const moment = parseMoment(text, now);
  if (moment) return moment.seconds * 1000;
  throw new SvcError('usage', `--at: '${text}' is not a time`, {
    hint: 'write it like 2026-03-01T12:00:00Z, or an epoch in seconds',
  });
}
