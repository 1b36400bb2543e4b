/** What a runtime answers, in the events and states of pods: as Go's clients print it, or in its own words alone where upstream takes those. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { Event } from '../../api/gen/types.ts';
import { realClock } from '../../base/clock.ts';
import { AppError, type ErrorCode } from '../../base/errors.ts';
import { noLog } from '../../base/log.ts';
import { c, playing, statusOf } from '../../test/fakes/playing.ts';
import { ImageServiceService, RuntimeServiceService } from '../../wire/gen/cri.ts';
import { service, serveGrpc } from '../../wire/grpc/server.ts';
import { RpcError } from '../../wire/grpc/status.ts';
import { connectCri } from '../runtime/cri.ts';
import type { Runtime } from '../runtime/runtime.ts';

const no = (code: ErrorCode) => (): Promise<never> => Promise.reject(new RpcError(code, 'no luck'));

for (const [call, broken, event, waiting] of [
	[
		'runSandbox',
		no('Unknown'),
		'FailedCreatePodSandBox: Failed to create pod sandbox: rpc error: code = Unknown desc = no luck',
		{ reason: 'ContainerCreating' },
	],
	[
		'image',
		no('DeadlineExceeded'),
		'InspectFailed: Failed to inspect image "i": rpc error: code = DeadlineExceeded desc = no luck',
		{ reason: 'ImageInspectError', message: 'Failed to inspect image "i": rpc error: code = DeadlineExceeded desc = no luck' },
	],
	[
		'pullImage',
		no('NotFound'),
		'Failed: Failed to pull image "j": rpc error: code = NotFound desc = no luck',
		{ reason: 'ErrImagePull', message: 'rpc error: code = NotFound desc = no luck' },
	],
	['createContainer', no('Unknown'), 'Failed: Error: no luck', { reason: 'CreateContainerError', message: 'no luck' }],
	['startContainer', no('Internal'), 'Failed: Error: no luck', { reason: 'RunContainerError', message: 'no luck' }],
] as const)
	test(`a runtime's no to ${call}`, async (t) => {
		const { node } = await playing();
		await using _ = node;
		Object.assign(node.runtime, { [call]: broken });
		await node.create('p', { containers: [c({ image: call === 'pullImage' ? 'j' : 'i' })] });
		await node.advance(500);
		t.true(node.events('p').includes(event), node.events('p').join('\n'));
		t.deepEqual(statusOf(node.pod('p'))?.state?.waiting, waiting);
	});

test('events name the container, not its id: what is told again is one event', async (t) => {
	const { node } = await playing();
	await using _ = node;
	const startContainer = (id: string): Promise<never> => Promise.reject(new RpcError('Internal', `cannot start ${id} (${id})`));
	Object.assign(node.runtime, { startContainer });
	await node.create('p', { containers: [c()] });
	await node.advance(500);
	t.true(node.events('p').includes('Failed: Error: cannot start c (c)'), node.events('p').join('\n'));
	t.regex(statusOf(node.pod('p'))?.state?.waiting?.message ?? '', /^cannot start (?!c )/, 'the status is about this one');
});

test('a cluster without DNS is an event of the node, too', async (t) => {
	const { node } = await playing();
	await using _ = node;
	Object.assign(node.context.options, { clusterDns: [] });
	await node.create('p');
	await node.advance(500);
	const message =
		'kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.';
	t.true(node.events('p').some((e) => e.startsWith('MissingClusterDNS: pod: "p_n(') && e.endsWith(message)));
	const name = node.context.options.nodeName;
	t.deepEqual(node.events(name), [`MissingClusterDNS: ${message}`]);
	const events = node.transport.api.list('/api/v1/events', () => true) as readonly Event[];
	// Upstream leaves the uid out; kubectl describe looks for the Node's or its name.
	t.like(events.find((e) => e.involvedObject.name === name)?.involvedObject, { apiVersion: 'v1', kind: 'Node', uid: name });
});

test('a pod whose folder cannot be made says so', async (t) => {
	const { node } = await playing();
	await using _ = node;
	await writeFile(join(node.rootDir, 'pods'), '');
	await node.create('p');
	await node.advance(500);
	t.true(
		node.events('p').some((e) => e.startsWith('Failed: error making pod data directories: ENOTDIR')),
		node.events('p').join('\n'),
	);
});

for (const [code, want] of [
	['Unknown', 'no such tag'],
	['NotFound', 'rpc error: code = NotFound desc = no such tag'],
] as const)
	test(`a pull that is answered with ${code} says: ${want}`, async (t) => {
		const folder = await mkdtemp(join(tmpdir(), 'kubeling-words-'));
		const address = join(folder, 'cri.sock');
		const refuse = (): Promise<never> => Promise.reject(new AppError(code, 'no such tag'));
		const all = new Proxy({} as never, { get: () => refuse });
		const server = await serveGrpc([service(RuntimeServiceService, all), service(ImageServiceService, all)], {
			address,
			clock: realClock,
			log: noLog,
		});
		const runtime = await connectCri(address, realClock, 10_000);
		const { signal } = new AbortController();
		await t.throwsAsync(runtime.pullImage('i', [], signal), { message: want });
		await t.throwsAsync(runtime.startContainer('i', signal), { message: `rpc error: code = ${code} desc = no such tag` });
		runtime.close();
		await server.stop();
		await rm(folder, { recursive: true });
	});

test('a pull that no credentials help tells what each was answered with', async (t) => {
	const { node } = await playing();
	await using _ = node;
	const auths = ['a', 'b', 'c'].map((username) => ({ auth: Buffer.from(`${username}:x`).toString('base64') }));
	for (const [i, auth] of auths.entries())
		node.transport.api.create(
			'/api/v1/secrets',
			{
				metadata: { name: `s${i}` },
				type: 'kubernetes.io/dockerconfigjson',
				data: { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths: { 'r.io': auth } })).toString('base64') },
			} as never,
			'n',
		);
	const pullImage: Runtime['pullImage'] = (_image, [auth]) =>
		Promise.reject(new RpcError('PermissionDenied', auth?.username === 'c' ? 'not you either' : 'not you'));
	Object.assign(node.runtime, { pullImage });
	await node.create('p', {
		containers: [c({ image: 'r.io/j:1' })],
		imagePullSecrets: auths.map((_auth, i) => ({ name: `s${i}` })),
	});
	await node.advance(500);
	const [denied, other] = ['not you', 'not you either'].map((said) => new RpcError('PermissionDenied', said).message);
	t.is(statusOf(node.pod('p'))?.state?.waiting?.message, `[${denied}, ${other}]`);
});
