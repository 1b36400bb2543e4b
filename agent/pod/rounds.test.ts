import test from 'ava';
import { playing } from '../../test/fakes/playing.ts';

test("rounds are measured by upstream's kinds: the first, those for a change, the others, those that end the pod", async (t) => {
	const { node } = await playing();
	await using _ = node;
	await node.create('p');
	await node.advance(100_000);
	const kinds = async (): Promise<readonly string[]> => {
		const text = await node.context.figures.registry.metrics();
		return [...text.matchAll(/pod_worker_duration_seconds_count{operation_type="(\w+)"}/g)].map(([, kind = '']) => kind).toSorted();
	};
	t.deepEqual(await kinds(), ['create', 'sync']);
	await node.update('p', ({ spec, metadata }) => {
		metadata.generation = 2;
		for (const container of spec?.containers ?? []) container.image = 'other';
	});
	await node.advance(5000);
	t.deepEqual(await kinds(), ['create', 'sync', 'update']);
	await node.delete('p');
	await node.advance(40_000);
	t.deepEqual(await kinds(), ['create', 'kill', 'sync', 'terminated', 'update']);
});

test('a pod whose host was told of by another kind of address says so, once', async (t) => {
	const { node } = await playing();
	await using _ = node;
	const pod = {
		metadata: { name: 'p', generation: 1 },
		spec: { nodeName: 'node', containers: [{ name: 'c', image: 'i' }] },
		status: { phase: 'Pending', hostIP: 'fd01::1' },
	};
	node.transport.api.create('/api/v1/pods', pod as never, 'n');
	await node.advance(90_000);
	const told = node.events('p').filter((event) => event.startsWith('HostIPs'));
	t.is(told.length, 1);
	t.regex(told[0] ?? '', /^HostIPsIPFamilyMismatch: Kubelet detected an IPv6 node IP \(fd01::1\), but .* IPv4 node IP \(192\.0\.2\.1\);/);
	t.is(node.pod('p')?.status?.hostIP, '192.0.2.1');
});
