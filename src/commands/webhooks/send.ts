import { unknownEventWarnings } from '../../catalog/events.ts';
import { SvcError } from '../../kernel/errors.ts';
import { hint, step } from '../../kernel/hint.ts';
import { isSuccess } from '../../webhooks/listener.ts';
import { post } from '../../webhooks/post.ts';
import { saidWhile } from '../call/awaited.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { type Sending, sampleDelivery } from '../deliveries/sample.ts';
import { postOptions, targetUrl } from '../deliveries/target.ts';
import { textValue } from '../option-values.ts';
import { givenPayload } from './given-payload.ts';
import { readPublicKey } from './keys.ts';
import { printPlan } from './plan.ts';
import { readSenderProof } from './sender-proof.ts';

export async function sendCommand(context: Context, invocation: Invocation): Promise<void> {
  const {
    arguments: [event = ''],
    options,
  } = invocation;
  if (!/^[\w.-]{1,256}$/.test(event)) {
    throw new SvcError('usage', `'${event}' cannot be an event type: letters, digits and . _ - make one`, {
      hint: hint`${step('inspect', 'webhooks', 'events')} lists the known ones`,
    });
  }
  for (const warning of unknownEventWarnings([event])) await context.warn(warning);
  const url = textValue(options, 'url');
  const isViaService = options['viaService'] === true;
  if (isViaService === (url !== undefined)) {
    throw new SvcError('usage', 'where to? Give either --url or --via-service', {
      hint: hint`${step('inspect', 'webhooks', 'send', event, '--url', 'http://127.0.0.1:3000/hook')}`,
    });
  }
  if (url === undefined) return (await import('./send-via-service.ts')).sendViaService(context, event, invocation);
  if (options['channel'] !== undefined) {
    throw new SvcError('usage', '--channel needs --via-service: channels choose endpoints, and --url is one address');
  }
  await sendTo(context, targetUrl(url, '--url'), event, await readSending(context, options));
}

async function readSending(context: Context, options: Invocation['options']): Promise<Sending> {
  return {
    ...(await readSenderProof(options, context.signal)),
    packing: { encode: options['encode'] === true, encryptFor: await readPublicKey(context, options) },
    payload: (sample) => givenPayload(context, options, sample),
  };
}

async function sendTo(context: Context, url: URL, event: string, sending: Sending): Promise<void> {
  const { clock, options } = context;
  const { form } = sending;
  const { id, outgoing } = await sampleDelivery(url, event, sending, clock.now());
  if (options.dryRun) return printPlan(context, outgoing, [sending.authToken ?? '']);
  if (sending.secret === undefined && sending.authToken === undefined) {
    const flag = form === 'advanced' ? '--secret-file' : '--auth-token-file';
    await context.note(`it proves nothing: without ${flag} a receiver that verifies refuses it`);
  }
  const how = await postOptions(context);
  const receipt = await saidWhile(context, `webhooks send: waiting for ${url.host}`, () => post(outgoing, how));
  if (receipt.status === null) {
    throw new SvcError('unreachable', `${url.href}: ${receipt.error}`, { hint: 'is the receiver running there?' });
  }
  const { status, body: answer, milliseconds } = receipt;
  const printer = await context.printer();
  await printer.value({ id, event, form, url: url.href, status, milliseconds, answer }, {});
  if (isSuccess(receipt)) return;
  throw new SvcError('unusable_answer', `the receiver did not take it: it answered ${status}`, {
    hint:
      status >= 300 && status < 400
        ? 'redirects of deliveries are not followed: give the address that it leads to'
        : 'a sender takes anything but 2xx for a failure, and sends the delivery again',
  });
}
