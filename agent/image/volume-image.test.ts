/** Image volumes: who waits for them and why, what is told, and that pulls are tried again. */
import test from 'ava';
import type { PodSpec } from '../../api/gen/types.ts';
import { aborted } from '../../base/abort.ts';
import { AppError } from '../../base/errors.ts';
import { c, playing, statusOf } from '../../test/fakes/playing.ts';
import type { SimulatedNode } from '../../test/fakes/simulated-node.ts';
import { RpcError } from '../../wire/grpc/status.ts';
import type { Runtime } from '../runtime/runtime.ts';

const mounts = [{ name: 'v', mountPath: '/v' }];
const SPEC: Partial<PodSpec> = {
	containers: [c({ volumeMounts: mounts }), c({ name: 'other' })],
	volumes: [{ name: 'v', image: { reference: 'files:1', pullPolicy: 'IfNotPresent' } }],
};

interface Bench {
	readonly node: SimulatedNode;
	/** What the registry has. */
	readonly registry: Set<string>;
	readonly pulls: string[];
}

/** @param slow resolves when pulls go on */
async function bench(slow?: (signal: AbortSignal) => Promise<void>): Promise<Bench> {
	const { node } = await playing();
	const registry = new Set<string>();
	const pulls: string[] = [];
	const pullImage: Runtime['pullImage'] = async (image, _auth, signal) => {
		pulls.push(image);
		await slow?.(signal);
		if (!registry.has(image)) throw new AppError('NotFound', 'not there');
		return 'i:latest';
	};
	Object.assign(node.runtime, { pullImage });
	return { node, registry, pulls };
}

const waiting = (node: SimulatedNode, name = 'c') => statusOf(node.pod('p'), name)?.state?.waiting;

test('the container that mounts an image that is not to be had waits for it; others run', async (t) => {
	const { node, registry, pulls } = await bench();
	await using _ = node;
	await node.create('p', SPEC);
	await node.advance(500);
	t.deepEqual(waiting(node), { reason: 'ErrImagePull', message: 'not there' });
	t.truthy(statusOf(node.pod('p'), 'other')?.state?.running);
	await node.advance(20_000);
	t.deepEqual(waiting(node), { reason: 'ImagePullBackOff', message: 'Back-off pulling image "files:1": ErrImagePull: not there' });
	t.deepEqual(
		node.events('p').filter((e) => e.includes('files:1') || e.startsWith('Failed')),
		[
			'Pulling: Pulling image "files:1"',
			'Failed: Failed to pull image "files:1": not there',
			'Failed: Error: ErrImagePull',
			'BackOff: Back-off pulling image "files:1"',
			'Failed: Error: ImagePullBackOff',
		],
	);
	const tried = pulls.length;
	await node.advance(5000);
	t.is(pulls.length, tried, 'not while it is backed off');
	registry.add('files:1');
	await node.advance(40_000);
	t.truthy(statusOf(node.pod('p'))?.state?.running);
	t.is(node.pod('p')?.status?.phase, 'Running');
});

test('what a container runs is not pulled while it waits for an image that it mounts', async (t) => {
	const { node, registry, pulls } = await bench();
	await using _ = node;
	const app = c({ image: 'app:1', imagePullPolicy: 'Always', volumeMounts: mounts });
	await node.create('p', { ...SPEC, containers: [app] });
	await node.advance(60_000);
	t.deepEqual([...new Set(pulls)], ['files:1']);
	t.false(node.events('p').some((e) => e.includes('app:1')));
	registry.add('files:1').add('app:1');
	await node.advance(60_000);
	t.is(pulls.filter((image) => image === 'app:1').length, 1);
	t.is(node.pod('p')?.status?.phase, 'Running');
});

test('volumes and containers of one image ask for it one after the other: one failure, one step of back-off', async (t) => {
	const { node, pulls } = await bench();
	await using _ = node;
	const volumes = ['v', 'w'].map((name) => ({ name, image: { reference: 'files:1' } }));
	const both = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
	const same = c({ name: 'other', image: 'files:1' });
	await node.create('p', { containers: [c({ volumeMounts: both }), same], volumes });
	await node.advance(500);
	t.deepEqual(pulls, ['files:1']);
	t.is(waiting(node)?.reason, 'ImagePullBackOff');
	await node.advance(11_000);
	t.deepEqual(pulls, ['files:1', 'files:1'], 'ten seconds, not twenty');
});

test('a pull that goes on while volumes fail is not begun again, and ends with the pod', async (t) => {
	let ended = 0;
	const { node, pulls } = await bench(async (signal) => {
		await aborted(signal);
		ended++;
		throw signal.reason;
	});
	await using _ = node;
	const missing = { name: 'm', configMap: { name: 'none' } };
	await node.create('p', { containers: [c({ image: 'app:1', volumeMounts: [{ name: 'm', mountPath: '/m' }] })], volumes: [missing] });
	await node.advance(60_000);
	t.true(node.events('p').some((e) => e.startsWith('FailedMount')));
	t.deepEqual([pulls, ended], [['app:1'], 0]);
	await node.delete('p', 1);
	await node.advance(10_000);
	t.deepEqual([pulls, ended], [['app:1'], 1]);
	t.is(node.pod('p'), undefined);
});

test('events of the image are about the pod, and about the container why it waits', async (t) => {
	const { node } = await bench();
	await using _ = node;
	await node.create('p', SPEC);
	await node.advance(500);
	const events = node.transport.api.list('/api/v1/events', () => true) as unknown as {
		readonly message: string;
		readonly involvedObject: { readonly fieldPath?: string };
	}[];
	const about = (text: string) => events.filter((e) => e.message.includes(text)).map((e) => e.involvedObject.fieldPath);
	t.deepEqual(about('Failed to pull image'), [undefined]);
	t.deepEqual(about('Error: ErrImagePull'), ['spec.containers{c}']);
});

for (const [name, volume, reason, message] of [
	[
		'never pulled',
		{ reference: 'files:1', pullPolicy: 'Never' },
		'ErrImageNeverPull',
		/^Container image "files:1" is not present with pull/,
	],
	['that is no name', { reference: 'A B' }, 'InvalidImageName', /^Failed to apply default image tag "A B"/],
] as const)
	test(`a container waits for an image volume ${name}`, async (t) => {
		const { node } = await bench();
		await using _ = node;
		await node.create('p', { ...SPEC, volumes: [{ name: 'v', image: volume }] });
		await node.advance(500);
		t.is(waiting(node)?.reason, reason);
		t.regex(waiting(node)?.message ?? '', message);
		t.false(node.events('p').some((e) => e.startsWith('FailedMount')));
	});

for (const [name, said, want] of [
	['that is mounted', undefined, [1, 2, 0]],
	['that the runtime cannot mount', 'ImageVolumeMountFailed: no such layer', [1, 0, 2]],
	['whose container fails of something else', 'no room', [1, 2, 0]],
] as const)
	test(`figures of an image volume ${name}`, async (t) => {
		const { node, registry } = await bench();
		await using _ = node;
		registry.add('files:1');
		if (said !== undefined) node.runtime.createContainer = () => Promise.reject(new RpcError('Unknown', said));
		const twice = [...mounts, { name: 'v', mountPath: '/w', subPath: 's' }];
		await node.create('p', { ...SPEC, containers: [c({ volumeMounts: twice })] });
		const figures = await node.context.figures.registry.metrics();
		const of = (figure: string) => Number(new RegExp(`^kubelet_image_volume_${figure}_total (.*)$`, 'm').exec(figures)?.[1]);
		t.deepEqual(['requested', 'mounted_succeed', 'mounted_errors'].map(of), [...want]);
	});
