import { forgetSecrets } from '../src/kernel/redact.ts';

// Test files share a process.
forgetSecrets();
