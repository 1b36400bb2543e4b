/** What a pod says of itself while it starts, on virtual time. */
import test from 'ava';
import { c, condition, playing, statusOf } from '../../test/fakes/playing.ts';

for (const [name, arrived, want] of [
	['waits for an image says that its sandbox stands, and its address', false, { ready: 'True', ip: true, writes: 2 }],
	['has its image says it once it runs', true, { ready: 'True', ip: true, writes: 2 }],
] as const)
	test(`a pod that ${name}`, async (t) => {
		const { node } = await playing();
		await using _ = node;
		const come = Promise.withResolvers<void>();
		const { pullImage } = node.runtime;
		if (!arrived) {
			node.runtime.image = () => Promise.resolve(undefined);
			node.runtime.pullImage = (...args) => come.promise.then(() => pullImage.apply(node.runtime, args));
		}
		let writes = 0;
		using _watch = node.transport.api.watch(({ type, collection }) => {
			if (collection === '/api/v1/pods' && type === 'MODIFIED') writes++;
		});
		await node.create('p', { containers: [c({ imagePullPolicy: arrived ? 'IfNotPresent' : 'Always' })] });
		await node.advance(5000);
		const status = node.pod('p')?.status;
		t.deepEqual({ ready: condition(node.pod('p'), 'PodReadyToStartContainers')?.status, ip: status?.podIP !== undefined, writes }, want);
		t.is(statusOf(node.pod('p'))?.state?.waiting?.reason, arrived ? undefined : 'ContainerCreating');
		come.resolve();
	});
