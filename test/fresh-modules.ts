import { vi } from 'vitest';

// Test files share a process, but not the state of modules, such as remembered secrets.
vi.resetModules();
