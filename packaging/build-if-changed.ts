import { buildIfChanged } from './bundle/build-inputs.ts';

await buildIfChanged('.', () => import('../esbuild.config.ts'));
