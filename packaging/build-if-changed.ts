import { buildIfChanged } from './bundle/build-if-changed.ts';

await buildIfChanged('.', () => import('../esbuild.config.ts'));
