/** The start of pods on virtual time: what it waits for, what it says meanwhile, and the hook after it. */
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

test('a pod that is deleted while its new sandbox is looked at ends after that look', async (t) => {
	const { node } = await playing();
	await using _ = node;
	const { runtime } = node;
	const look = Promise.withResolvers<void>();
	const { runSandbox, pod, stopSandbox } = runtime;
	const steps: string[] = [];
	runtime.image = () => Promise.resolve(undefined);
	runtime.pullImage = () => new Promise(() => {});
	runtime.runSandbox = async (...args) => {
		const id = await runSandbox.apply(runtime, args);
		runtime.pod = async (...asked) => {
			runtime.pod = pod;
			await look.promise;
			steps.push('looked');
			return pod.apply(runtime, asked);
		};
		return id;
	};
	runtime.stopSandbox = (...args) => {
		steps.push('stopped');
		return stopSandbox.apply(runtime, args);
	};
	await node.create('p');
	await node.advance(1000);
	await node.delete('p');
	await node.advance(1000);
	look.resolve();
	await node.advance(1000);
	t.deepEqual(steps.slice(0, 2), ['looked', 'stopped']);
});

test('a pod waits for the network, but on the host network', async (t) => {
	const { node, starts } = await playing();
	await using _ = node;
	node.networkFault = 'no CNI';
	await node.create('p');
	await node.create('h', { hostNetwork: true });
	await node.advance(1000);
	t.deepEqual(starts, ['0 c 0']);
	t.true(node.events('p').includes('NetworkNotReady: network is not ready: no CNI'));
	node.networkFault = '';
	await node.advance(10_000);
	t.is(node.pod('p')?.status?.phase, 'Running');
});

test('a failed postStart hook kills the container, which waits for its next try', async (t) => {
	const { node, starts } = await playing({ exec: () => ({ exitCode: 1, output: 'oh' }) });
	await using _ = node;
	await node.create('p', { containers: [c({ lifecycle: { postStart: { exec: { command: ['hook'] } } } })] });
	await node.advance(1000);
	t.like(statusOf(node.pod('p')), { ready: false, started: false, state: { waiting: { reason: 'CrashLoopBackOff' } } });
	t.true(node.events('p').includes('FailedPostStartHook: PostStartHook failed'));
	await node.advance(39_000);
	t.deepEqual(starts, ['0 c 0', '0 c 1', '10 c 2', '30 c 3']);
});

test('a container is not ready while its postStart hook runs', async (t) => {
	const { node } = await playing({ exec: () => ({ runMs: 5000 }) });
	await using _ = node;
	await node.create('p', { containers: [c({ lifecycle: { postStart: { exec: { command: ['hook'] } } } })] });
	await node.advance(1000);
	t.like(statusOf(node.pod('p')), { ready: false, started: false });
	await node.advance(5000);
	t.like(statusOf(node.pod('p')), { ready: true, started: true });
});

test('a new pod is looked at when its sandbox stands, the sandbox alone, and once its containers run', async (t) => {
	const { node } = await playing();
	await using _ = node;
	const { runtime } = node;
	const { sandbox, pod } = runtime;
	const looks = { sandbox: 0, pod: 0 };
	runtime.sandbox = (...args) => {
		looks.sandbox++;
		return sandbox.apply(runtime, args);
	};
	runtime.pod = (...args) => {
		looks.pod++;
		return pod.apply(runtime, args);
	};
	await node.create('p');
	await node.advance(5000);
	t.is(node.pod('p')?.status?.phase, 'Running');
	t.deepEqual(looks, { sandbox: 1, pod: 1 });
});
