import * as z from 'zod/mini';
import { defineOperation } from './define.ts';
import { optionalUrl, requireChange, secret, serviceSwitch } from './fields.ts';
import { SAMPLE_URL } from './sample-data.ts';

const providerConfig = z.looseObject({
  usePermissionProvider: z.boolean(),
  permissionProviderConfig: z.looseObject({
    permissionProviderUrl: z.optional(z.string()),
    authToken: z.optional(secret('token sent to the provider')),
  }),
});

export const permissionProvider = {
  'permission-provider.get': defineOperation('permission-provider.get', {
    summary: 'Show the configuration of the permission provider',
    path: '/v2/workspace/permissionproviderconfig/get',
    effect: 'read',
    input: z.object({}),
    output: providerConfig,
    message: 'Permission provider configuration retrieved successfully.',
    decision: 'the service returns secrets in clear',
    settings: 'read',
    sample: () => ({}),
  }),
  'permission-provider.update': defineOperation('permission-provider.update', {
    summary: 'Update the configuration of the permission provider',
    path: '/v2/workspace/permissionproviderconfig/update',
    effect: 'set',
    input: requireChange(
      z.object({
        usePermissionProvider: serviceSwitch('enable or disable the provider'),
        permissionProviderConfig: z.optional(
          z.looseObject({
            permissionProviderUrl: optionalUrl('provider URL'),
            authToken: z.optional(secret('token sent to the provider')),
          }),
        ),
      }),
    ),
    output: providerConfig,
    message: 'Permission provider configuration updated successfully.',
    lookup: { operation: 'permission-provider.get', inputFields: {} },
    rejectionMessage: ({ path: [, field] }) =>
      field === 'permissionProviderUrl' ? 'Please enter a valid URL' : undefined,
    confirm: ({ usePermissionProvider }) =>
      usePermissionProvider === false ? 'Disable the permission provider?' : undefined,
    decision: 'omitted fields are unchanged, and an empty URL removes the stored one',
    isDocumented: false,
    settings: { writes: 'config' },
    sample: () => ({
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl: SAMPLE_URL, authToken: 'token' },
    }),
  }),
};
