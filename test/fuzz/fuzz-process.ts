/** One target in a process of its own, so that a hang can be ended and memory is its own: NAME RUNS SEED. */
import { fuzz } from './fuzz.ts';
import { TARGETS } from './targets.ts';

const [name = '', runs = '', seed = ''] = process.argv.slice(2);
const target = TARGETS.find((one) => one.name === name);
if (target === undefined) throw new Error(`There is no target "${name}"`);
const figures = await fuzz(target, { runs: Number(runs), seed: Number(seed), onBatch: (done) => process.send?.({ done }) });
process.send?.({ figures });
