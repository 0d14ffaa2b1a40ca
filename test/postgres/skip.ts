import { beforeEach, inject } from 'vitest';

beforeEach((test) => {
  test.skip(inject('postgres') === undefined, 'PostgreSQL is not installed here');
});
