import refusal from '../bin/supported-node.js';
import { engines } from '../package.json';

const unsupported = refusal(engines.node);
if (unsupported) throw new Error(unsupported);
