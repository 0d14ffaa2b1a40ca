import * as z from 'zod';
import { defineOperation } from './define.ts';
import { httpUrl, secret, serviceSwitch, someGiven } from './fields.ts';

const providerConfig = z.looseObject({
  usePermissionProvider: z.boolean(),
  permissionProviderConfig: z.looseObject({
    permissionProviderUrl: z.string().optional(),
    authToken: secret('sent to the provider').optional(),
  }),
});

export const permissionProvider = {
  'permission-provider.get': defineOperation({
    command: ['permission-provider', 'get'],
    summary: 'Show the configuration of the permission provider',
    examples: [{ command: 'svc permission-provider get', does: 'its address, the token masked' }],
    path: '/v2/workspace/permissionproviderconfig/get',
    auth: 'key',
    effect: 'read',
    input: z.object({}),
    output: providerConfig,
    message: 'Permission provider configuration retrieved successfully.',
  }),
  'permission-provider.update': defineOperation({
    command: ['permission-provider', 'update'],
    summary: 'Configure the permission provider',
    examples: [
      {
        command: 'svc permission-provider update --enable --permission-provider-url https://example.com/permissions',
        does: 'ask your own service who may do what',
      },
    ],
    path: '/v2/workspace/permissionproviderconfig/update',
    auth: 'key',
    effect: 'set',
    input: someGiven(
      z.object({
        usePermissionProvider: serviceSwitch('switch the provider on or off'),
        permissionProviderConfig: z
          .looseObject({
            permissionProviderUrl: httpUrl('address of the provider').optional(),
            authToken: secret('sent to the provider').optional(),
          })
          .optional(),
      }),
    ),
    output: providerConfig,
    message: 'Permission provider configuration updated successfully.',
    lookup: { operation: 'permission-provider.get', by: {} },
    confirm: ({ usePermissionProvider }) =>
      usePermissionProvider === false ? 'Disable the permission provider?' : undefined,
  }),
};
