import { findConfig, saveConfig } from '../records/configs.ts';
import type { HandlersOf } from './handler.ts';

const DEFAULTS = { permissionProviderUrl: '', authToken: '' };

export const permissionProvider: HandlersOf<'permission-provider'> = {
  'permission-provider.get': async (call) => {
    const stored = await findConfig(call, 'permission-provider');
    const { usePermissionProvider = false, permissionProviderConfig = {} } = stored ?? {};
    return {
      data: {
        usePermissionProvider,
        permissionProviderConfig: { ...DEFAULTS, ...permissionProviderConfig },
      },
    };
  },

  'permission-provider.update': async (call, input) => {
    const stored = (await findConfig(call, 'permission-provider')) ?? {};
    const config = {
      usePermissionProvider: input.usePermissionProvider ?? stored.usePermissionProvider ?? false,
      permissionProviderConfig: {
        ...DEFAULTS,
        ...stored.permissionProviderConfig,
        ...input.permissionProviderConfig,
      },
    };
    await saveConfig(call, 'permission-provider', config);
    return { data: config };
  },
};
