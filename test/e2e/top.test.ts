/** metrics.k8s.io from real kubelets: `kubectl top`, and a deployment that an autoscaler scales by its CPU. */
import test from 'ava';
import { kubectl } from '../tools/kubectl.ts';
import { busyboxImage } from '../tools/images.ts';
import { eventually } from '../tools/eventually.ts';
import { Kubectl, testCluster } from './cluster.ts';

const [image, path] = await Promise.all([busyboxImage(), kubectl('1.36')]);
/** Longer than kubectl waits itself. */
const READY = { timeoutMs: 150_000 };
const BUSY = 'while :; do :; done & while :; do :; done';

test('kubectl top tells of nodes and pods, and a busy deployment is scaled up', async (t) => {
	await using cluster = await testCluster('top');
	await cluster.up();
	const k = new Kubectl(path, cluster, 'default');
	await k.must(['create', 'deployment', 'busy', `--image=${image}`, '--', 'sh', '-c', BUSY]);
	await k.must(['set', 'resources', 'deployment/busy', '--requests=cpu=20m', '--limits=cpu=100m']);
	await k.must(['run', 'idle', `--image=${image}`, '--labels=kind=idle', '--', 'sleep', '3600']);
	await k.must(['autoscale', 'deployment', 'busy', '--cpu=50%', '--min=1', '--max=2']);
	await k.must(['rollout', 'status', 'deployment/busy', '--timeout=120s'], READY);
	await k.must(['wait', '--for=condition=Ready', 'pod/idle', '--timeout=120s'], READY);

	await eventually('the metrics API', async () => (await k.run(['top', 'nodes'])).code === 0);
	t.regex(
		await k.must(['top', 'nodes']),
		/^NAME\s+CPU\(cores\)\s+CPU\(%\)\s+MEMORY\(bytes\)\s+MEMORY\(%\)\s*\n\S+\s+\d+m\s+\d+%\s+\d+Mi\s+\d+%/,
	);
	await eventually('figures of both pods, the busy one busy', async () => {
		const { stdout } = await k.run(['top', 'pods']); // fails while no pod has been measured twice
		return Number(/^busy-\S+\s+(\d+)m/m.exec(stdout)?.[1] ?? 0) > 20 && /^idle\s/m.test(stdout);
	});
	t.regex(await k.must(['top', 'pods', '-l', 'kind=idle', '--no-headers']), /^idle\s+\d+m\s+\d+Mi\s*\n$/);
	t.regex(await k.must(['top', 'pod', 'idle', '--containers']), /idle\s+idle\s+\d+m\s+\d+Mi/);
	t.regex(await k.must(['get', 'pods.metrics.k8s.io']), /NAME\s+CPU\s+MEMORY\s+WINDOW\n/);
	t.regex(await k.must(['explain', 'pods', '--api-version=metrics.k8s.io/v1beta1']), /KIND:\s+PodMetrics/);
	await eventually(
		'the autoscaler has scaled',
		async () => /\s2\s/.test(await k.must(['get', 'deployment', 'busy', '-o', 'jsonpath= {.spec.replicas} '])),
		240_000,
	);
});
