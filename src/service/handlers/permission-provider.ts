import { saveConfig, storedConfig } from '../records/configs.ts';
import type { HandlersOf } from './handler.ts';

const UNSET = { permissionProviderUrl: '', authToken: '' };

export const permissionProvider: HandlersOf<'permission-provider'> = {
  'permission-provider.get': async (call) => {
    const stored = await storedConfig(call, 'permission-provider');
    const { usePermissionProvider = false, permissionProviderConfig = {} } = stored ?? {};
    return { data: { usePermissionProvider, permissionProviderConfig: { ...UNSET, ...permissionProviderConfig } } };
  },

  'permission-provider.update': async (call, input) => {
    const stored = (await storedConfig(call, 'permission-provider')) ?? {};
    const config = {
      usePermissionProvider: input.usePermissionProvider ?? stored.usePermissionProvider ?? false,
      permissionProviderConfig: { ...UNSET, ...stored.permissionProviderConfig, ...input.permissionProviderConfig },
    };
    await saveConfig(call, 'permission-provider', config);
    return { data: config };
  },
};
