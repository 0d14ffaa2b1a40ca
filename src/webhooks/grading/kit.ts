import { randomBytes } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { deliveryHeaders, newDeliveryId } from '../delivery.ts';
import { PAYLOADS } from '../event.ts';
import { type Form, SIGNATURE_HEADERS } from '../form.ts';
import type { HeaderList } from '../headers.ts';
import { packBody } from '../payload.ts';
import type { Outgoing } from '../post.ts';
import { sampleEvent } from '../sample.ts';
import { newSigningSecret } from '../signature.ts';
import type { Manner } from './manner.ts';

/** What the receiver was told to expect of its sender. */
export interface Means {
  readonly form: Form;
  readonly secret?: string | undefined;
  readonly authToken?: string | undefined;
  /** An RSA public key whose private key the receiver has. */
  readonly encryptFor?: string | undefined;
}

/** How a delivery differs from one that the service would send. */
export interface Variation {
  readonly event?: string;
  readonly id?: string;
  readonly documentName?: string;
  /** Seconds that the timestamp lies before now. */
  readonly age?: number;
  readonly proof?: 'foreign' | 'none' | 'rotated' | 'of another body';
  readonly packing?: 'encoded' | 'encrypted';
  /** Writes the payload as JSON. */
  readonly json?: (payload: object) => string;
  readonly manner?: Manner;
  readonly method?: string;
}

/** A delivery that is ready to go to any address. */
export interface Shipment extends Omit<Outgoing, 'url'> {
  readonly id: string;
  readonly event: string;
  readonly manner: Manner;
}

/** Makes deliveries, each with an id of its own unless one is given. */
export type Kit = (variation?: Variation) => Shipment;

const USUAL_EVENT = 'comment.add';

export function createKit(means: Means, clock: Clock): Kit {
  return (variation = {}) => {
    const { event = USUAL_EVENT, id = newDeliveryId(), age = 0, packing, manner = 'whole', method } = variation;
    const now = clock.now();
    const { json = JSON.stringify, documentName } = variation;
    const sample = { ...sampleEvent(event, { webhookId: id, now }), ...(documentName && { documentName }) };
    const encryptFor = packing === 'encrypted' ? means.encryptFor : undefined;
    const body = packBody(json(PAYLOADS[means.form](sample)), { encode: packing === 'encoded', encryptFor });
    const timestamp = Math.floor(now / 1000) - age;
    const headers = provenHeaders(means, { id, timestamp, body }, variation.proof);
    return { id, event, headers, body, manner, ...(method && { method }) };
  };
}

interface Content {
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
}

function provenHeaders(means: Means, { body, ...content }: Content, proof: Variation['proof']): HeaderList {
  const own = { ...means, ...content };
  switch (proof) {
    case undefined:
      return deliveryHeaders(own, body);
    case 'none':
      return deliveryHeaders({ ...content, form: means.form }, body);
    case 'foreign':
      return deliveryHeaders({ ...own, ...foreignMeans() }, body);
    case 'of another body':
      return deliveryHeaders(own, `${body} `);
    case 'rotated':
      return merged(deliveryHeaders({ ...own, ...foreignMeans() }, body), deliveryHeaders(own, body));
  }
}

function foreignMeans() {
  return { secret: newSigningSecret(), authToken: randomBytes(24).toString('base64url') };
}

/** As a sender signs for a while after its secret was changed: with both, one behind the other. */
function merged(other: HeaderList, own: HeaderList): HeaderList {
  const [, first = ''] = other.find(([name]) => name === SIGNATURE_HEADERS.signature) ?? [];
  return own.map(([name, value]) => [name, name === SIGNATURE_HEADERS.signature ? `${first} ${value}` : value]);
}
