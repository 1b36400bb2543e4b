/** The official JavaScript client beyond single calls: its informer with a cache, its generic objects, exec, and logs that are followed. */
import { PassThrough, Writable } from 'node:stream';
import {
	CoreV1Api,
	Exec,
	KubernetesObjectApi,
	Log,
	makeInformer,
	PatchStrategy,
	type V1ConfigMap,
	type V1Status,
} from '@kubernetes/client-node';
import { eventually } from '../../tools/eventually.ts';
import { inPhase, sleeper } from '../pods.ts';
import { behaves } from '../suite.ts';

behaves('the JavaScript client: an informer whose cache follows the server', async ({ t, api, config, namespace, signal }) => {
	const core = api(CoreV1Api);
	const informer = makeInformer<V1ConfigMap>(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
		core.listNamespacedConfigMap({ namespace }),
	);
	const seen: string[] = [];
	for (const event of ['add', 'update', 'delete'] as const) informer.on(event, (map) => seen.push(`${event} ${map.metadata?.name}`));
	await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'before' } } });
	await informer.start();
	signal.addEventListener('abort', () => void informer.stop());
	await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'x' } } });
	await core.replaceNamespacedConfigMap({ namespace, name: 'x', body: { metadata: { name: 'x' }, data: { a: 'b' } } });
	await eventually('the cache has the update', async () => informer.get('x', namespace)?.data?.['a'] === 'b');
	await core.deleteNamespacedConfigMap({ namespace, name: 'x' });
	await eventually('the cache has the deletion', async () => informer.get('x', namespace) === undefined);
	await informer.stop();
	for (const event of ['add before', 'add x', 'update x', 'delete x']) t.true(seen.includes(event), seen.join(', '));
});

behaves('the JavaScript client: objects of any kind by manifest, applied by the server', async ({ t, config, namespace }) => {
	const objects = KubernetesObjectApi.makeApiClient(config);
	const manifest = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'x', namespace } };
	const spec = {
		schedule: '0 0 1 1 *',
		jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'none' }] } } } },
	};
	const apply = (more: object): Promise<typeof manifest> =>
		objects.patch({ ...manifest, ...more }, undefined, undefined, 'conformance', true, PatchStrategy.ServerSideApply);
	await apply({ spec });
	await apply({ spec: { ...spec, suspend: true } });
	const read = (await objects.read(manifest)) as typeof manifest & { spec: { suspend: boolean; concurrencyPolicy: string } };
	t.deepEqual([read.spec.suspend, read.spec.concurrencyPolicy], [true, 'Allow']);
	t.is((await objects.list('batch/v1', 'CronJob', namespace)).items.length, 1);
	await objects.delete(manifest);
});

behaves('the JavaScript client: exec and followed logs', async (world) => {
	const { t, api, config, namespace, image } = world;
	const command = ['sh', '-c', 'echo one; sleep 1; echo two; until [ -e /tmp/end ]; do sleep 0.1; done'];
	await api(CoreV1Api).createNamespacedPod({
		namespace,
		body: sleeper(image, 'x', {}, { restartPolicy: 'Never', containers: [{ name: 'c', image, command }] }),
	});
	await inPhase(world, 'x', 'Running');
	let logged = '';
	const lines = new Writable({
		write(chunk: Buffer, _encoding, done) {
			logged += chunk.toString();
			done();
		},
	});
	await new Log(config).log(namespace, 'x', 'c', lines, { follow: true });
	await eventually('the log is followed', async () => logged === 'one\ntwo\n');
	const output = new PassThrough();
	let said = '';
	output.on('data', (chunk: Buffer) => (said += chunk.toString()));
	const run = (script: string): Promise<V1Status> =>
		new Promise((resolve, reject) => {
			new Exec(config).exec(namespace, 'x', 'c', ['sh', '-c', script], output, null, null, false, resolve).catch(reject);
		});
	const status = await run('echo hi; exit 3');
	await run('touch /tmp/end'); // of its own: whatever still runs in the container is killed with it
	await inPhase(world, 'x', 'Succeeded'); // so that nobody has to cut the log off
	t.is(said, 'hi\n');
	t.deepEqual([status.status, status.details?.causes?.[0]?.message], ['Failure', '3']);
});
