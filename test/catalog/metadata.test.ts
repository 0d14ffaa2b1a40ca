import { expect, it } from 'vitest';
import { loadOperation } from '../../src/catalog/index.ts';

it('issues have the messages that the service returns', async () => {
  const { input } = await loadOperation('users', 'users.data');
  const { error } = input.safeParse({ organizationId: 1 });
  expect(error?.issues[0]?.message).toBe('Invalid input: expected string, received number');
});
