/**
 * Runs inside namespaces of its own: containerd, a cluster whose node is our agent on it, and the node suite. Arguments: the folder for logs, one on a
 * disk for everything else, the cluster's name, the folder with containerd's programs, and ava's own.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { must } from '../../tools/command.ts';
import { prepareHost, RUN } from '../critest/place.ts';
import { REGISTRIES, startRegistry } from '../critest/registry.ts';
import { clusterOn } from './cluster.ts';
import { startContainerd } from './containerd.ts';

const [outcome = '', dir = '', name = '', bin = '', ...more] = process.argv.slice(2);
const ADDRESS = '10.97.0.1';

await prepareHost(REGISTRIES.map((host) => `127.0.0.1 ${host}`));
await must('ip', ['address', 'add', `${ADDRESS}/32`, 'dev', 'lo']);
await startRegistry(RUN); // has the image of sandboxes
const runtimeEndpoint = await startContainerd(dir, join(outcome, 'containerd.log'), bin);
await must(join(bin, 'ctr'), ['--address', runtimeEndpoint, '--namespace', 'k8s.io', 'images', 'import', join(dir, 'images.tar')]);
const kubeconfig = await clusterOn({ name, dir, runtimeEndpoint, address: ADDRESS, logPath: join(outcome, 'cluster.log') });
const root = join(import.meta.dirname, '..', '..', '..');
const ava = ['test/gate/ava.ts', '--config', 'ava.e2e.config.js', 'test/conformance/node/node.test.ts', ...more];
const suite = spawn(process.execPath, ava, {
	cwd: root,
	stdio: 'inherit',
	env: { ...process.env, CONFORMANCE_KUBECONFIG: kubeconfig, TEST_IMAGES: 'loaded' },
});
suite.once('close', (code) => process.exit(code ?? 1)); // whatever runs ends with the namespaces
