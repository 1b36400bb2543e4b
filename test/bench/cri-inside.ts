/** Runs inside namespaces of its own: an engine with a bridge of its own, then the benchmark on it. Arguments: a folder on the disk, the cgroup, the engine's folder, rounds. */
import { join } from 'node:path';
import { startEngine } from '../conformance/critest/engine.ts';
import { prepareHost } from '../conformance/critest/place.ts';
import { measure } from './cri.ts';

const [dir = '', cgroup = '', bin = '', rounds = ''] = process.argv.slice(2);
await prepareHost([]);
// What is told last counts: the floor is a sandbox on the engine's own bridge.
await startEngine(join(dir, 'dockerd.log'), cgroup, bin, [`--data-root=${join(dir, 'docker')}`, '--bridge=', '--iptables=true']);
await measure(Number(rounds), cgroup);
process.exit(); // the engine ends with the namespaces
