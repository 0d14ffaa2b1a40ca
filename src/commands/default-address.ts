export const DEFAULT_ADDRESS = { host: '127.0.0.1', port: 7400 };
