import { buildIfChanged } from './bundle/build-inputs.ts';

await buildIfChanged('.', () => import('./build.ts'));
