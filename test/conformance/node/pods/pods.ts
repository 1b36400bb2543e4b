/** [sig-node] Pods: addresses, services in the environment, deadlines, classes of service. */
import { CoreV1Api, type V1ResourceRequirements } from '@kubernetes/client-node';
import { patch } from '../../patch.ts';
import { conformance } from '../../suite.ts';
import { create, isOver, nameOf, output, read, running, STAYS, until } from '../pod.ts';

conformance('[sig-node] Pods should get a host IP [NodeConformance] [Conformance]', async (world) => {
	const { status } = await until(world, nameOf(await create(world, { script: STAYS })), 'has a host IP', (pod) => pod.status?.hostIP);
	world.t.regex(status?.hostIP ?? '', /^\d+\.\d+\.\d+\.\d+$/);
	world.t.deepEqual(
		status?.hostIPs?.map(({ ip }) => ip),
		[status?.hostIP],
	);
});

conformance('[sig-node] Pods should be updated [NodeConformance] [Conformance]', async (world) => {
	const { t, api, namespace } = world;
	const name = nameOf(await running(world, { script: STAYS, metadata: { labels: { time: 'before' } } }));
	const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
	t.is((await patch(world, path, { metadata: { labels: { time: 'updated' } } })).code, 200);
	const { items } = await api(CoreV1Api).listNamespacedPod({ namespace, labelSelector: 'time=updated' });
	t.deepEqual(items.map(nameOf), [name]);
	t.is(items[0]?.status?.containerStatuses?.[0]?.restartCount, 0);
});

conformance('[sig-node] Pods should allow activeDeadlineSeconds to be updated [NodeConformance] [Conformance]', async (world) => {
	const { t, namespace } = world;
	const name = nameOf(await running(world, { script: STAYS }));
	t.is((await patch(world, `/api/v1/namespaces/${namespace}/pods/${name}`, { spec: { activeDeadlineSeconds: 2 } })).code, 200);
	const { status } = await until(world, name, 'is over its deadline', isOver);
	t.deepEqual(
		[status?.phase, status?.reason, status?.message],
		['Failed', 'DeadlineExceeded', 'Pod was active on the node longer than the specified deadline'],
	);
});

conformance('[sig-node] Pods should contain environment variables for services [NodeConformance] [Conformance]', async (world) => {
	const { t, api, namespace } = world;
	const ports = [{ name: 'http', port: 8765, targetPort: 8080 }];
	const service = await api(CoreV1Api).createNamespacedService({
		namespace,
		body: { metadata: { name: 'fooservice' }, spec: { ports, selector: { name: 'server' } } },
	});
	const lines = (await output(world, { container: { command: ['env'] } })).split('\n');
	const ip = service.spec?.clusterIP;
	for (const line of [
		`FOOSERVICE_SERVICE_HOST=${ip}`,
		'FOOSERVICE_SERVICE_PORT=8765',
		'FOOSERVICE_SERVICE_PORT_HTTP=8765',
		`FOOSERVICE_PORT=tcp://${ip}:8765`,
		`FOOSERVICE_PORT_8765_TCP=tcp://${ip}:8765`,
		'FOOSERVICE_PORT_8765_TCP_PROTO=tcp',
		'FOOSERVICE_PORT_8765_TCP_PORT=8765',
		`FOOSERVICE_PORT_8765_TCP_ADDR=${ip}`,
	])
		t.true(lines.includes(line), line);
});

conformance(
	'[sig-node] Pods Extended Pods Set QOS Class should be set on Pods with matching resource requests and limits for memory and cpu [Conformance]',
	async (world) => {
		const amounts = { cpu: '10m', memory: '16Mi' };
		const cases: Readonly<Record<string, V1ResourceRequirements>> = {
			Guaranteed: { requests: amounts, limits: amounts },
			Burstable: { requests: amounts },
			BestEffort: {},
		};
		for (const [qosClass, resources] of Object.entries(cases)) {
			const name = nameOf(await create(world, { script: STAYS, container: { resources } }));
			world.t.is((await read(world, name)).status?.qosClass, qosClass);
		}
	},
);
