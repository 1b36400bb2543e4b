/**
 * Runs inside namespaces of its own: a registry, one CRI server, and the suite's cases on it. Arguments: the folder for the outcome and the logs, the cgroup,
 * the server ("shim" or "containerd"), which cases, and the folder with containerd's programs.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { ImageServiceService, RuntimeServiceService } from '../../../cri/proto.ts';
import { createShim } from '../../../cri/shim.ts';
import { grpcClient } from '../../../wire/grpc/client.ts';
import { askAll } from '../../suites/cri/suite.ts';
import { startEngine, SOCKET } from '../critest/engine.ts';
import { prepareHost, RUN } from '../critest/place.ts';
import { REGISTRIES, startRegistry } from '../critest/registry.ts';
import { startContainerd } from './containerd.ts';

const [outcome = '', cgroupParent = '', name = '', only = '', bin = ''] = process.argv.slice(2);

await prepareHost(REGISTRIES.map((host) => `127.0.0.1 ${host}`));
await startRegistry(RUN);
const address = name === 'shim' ? await startShim() : await startContainerd(RUN, join(outcome, 'containerd.log'), bin);
const runtime = await grpcClient(RuntimeServiceService, { address, clock: realClock });
const images = await grpcClient(ImageServiceService, { address, clock: realClock });
const image = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';
const spec = { image, annotations: {}, userSpecifiedImage: '', runtimeHandler: '', imageRef: '' };
await images.pullImage({ image: spec, auth: undefined, sandboxConfig: undefined });
const dir = join(RUN, 'cases');
await mkdir(dir);
const other = 'gcr.io/k8s-staging-cri-tools/test-image-user-uid-group:latest';
const answers = await askAll({ runtime, images, image, other, dir, cgroupParent }, new RegExp(only));
await writeFile(join(outcome, 'answers.json'), JSON.stringify(answers, undefined, '\t'));
process.exit(0); // whatever runs ends with the namespaces

async function startShim(): Promise<string> {
	await startEngine(join(outcome, 'dockerd.log'), cgroupParent);
	const ready = Promise.withResolvers<void>();
	const options = { socketPath: join(RUN, 'cri.sock'), dockerHost: SOCKET, dataDir: join(RUN, 'shim'), clusterName: 'alike', cgroupParent };
	const shim = createShim(options, { clock: realClock, log: noLog, metrics: createMetrics() });
	await Promise.race([ready.promise, shim.run(new AbortController().signal, ready.resolve)]);
	return options.socketPath;
}
