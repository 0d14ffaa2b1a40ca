import { messageOf } from '../../kernel/errors.ts';
import type { Claimed } from './claim.ts';
import type { Answer, Post, Poster } from './post.ts';

/** Makes one attempt. What cannot even be composed is an attempt that failed. */
export async function send(poster: Poster, delivery: Claimed, now: number): Promise<Answer> {
  const post = composed(delivery, now);
  return typeof post === 'string' ? { status: null, error: post } : poster.post(post);
}

function composed(delivery: Claimed, now: number): Post | string {
  try {
    return delivery.destination.compose(delivery, now);
  } catch (error) {
    return messageOf(error);
  }
}
