/** Processors, devices of a plugin and claims of a DRA driver on a real engine: what pods are given is what their processes find. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { availableParallelism } from 'node:os';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { device, DevicePluginFake } from '../fakes/device-plugin.ts';
import { DraPluginFake } from '../fakes/dra-plugin.ts';
import { eventually } from '../tools/eventually.ts';
import { busyboxImage } from '../tools/images.ts';
import { kubectl } from '../tools/kubectl.ts';
import { PodResourcesListerService } from '../../wire/gen/podresources.ts';
import { grpcClient } from '../../wire/grpc/client.ts';
import { Kubectl, testCluster } from './cluster.ts';

const image = await busyboxImage();
const path = await kubectl();
const DRIVER = 'd.example.com';
const CPUS = availableParallelism();
/** One is reserved, one goes to a single pod. */
const LEAST_CPUS = 2;

const KUBELET = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cpuManagerPolicy: static
systemReserved: {cpu: "1"}
`;

const pod = (name: string, container: object, spec: object = {}) => ({
	apiVersion: 'v1',
	kind: 'Pod',
	metadata: { name },
	spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image, command: ['sleep', '3600'], ...container }], ...spec },
});
const whole = { cpu: '1', memory: '32Mi' };

if (CPUS < LEAST_CPUS) test(`skipped: needs ${LEAST_CPUS} processors, this machine has ${CPUS}`, (t) => t.pass());

(CPUS < LEAST_CPUS ? test.skip : test)('processors, devices and claims', async (t) => {
	await using cluster = await testCluster('dev');
	const config = join(cluster.dir, 'kubelet.yaml');
	await writeFile(config, KUBELET);
	await cluster.up('--kubelet-config', config);
	const k = new Kubectl(path, cluster, 'default');
	const rootDir = join(cluster.dataDir, 'node');
	const apply = async (...objects: readonly object[]): Promise<void> => {
		await k.must(['apply', '-f', '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }) });
	};
	const ready = (name: string): Promise<string> =>
		k.must(['wait', '--for=condition=Ready', `pod/${name}`, '--timeout=120s'], { timeoutMs: 150_000 });
	const sh = async (name: string, command: string): Promise<string> => (await k.must(['exec', name, '--', 'sh', '-c', command])).trim();
	const cpusOf = (name: string): Promise<string> => sh(name, "sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/1/status");
	const node = (await k.must(['get', 'nodes', '-o', 'jsonpath={.items[0].metadata.name}'])).trim();

	await apply(pod('shares', {}));
	await ready('shares');
	const all = await cpusOf('shares');
	await using plugin = new DevicePluginFake(join(rootDir, 'device-plugins'), 'null', [device('mine')]);
	await plugin.start('example.com/null', { hostDevice: '/dev/null' });
	await eventually(
		'the device in the node',
		async () => (await k.must(['get', 'node', node, '-o', 'jsonpath={.status.allocatable.example\\.com/null}'])) === '1',
	);
	await using driver = new DraPluginFake(DRIVER, { cdi: false });
	await driver.start(join(rootDir, 'plugins_registry'), ['v1.DRAPlugin']);
	const group = { apiVersion: 'resource.k8s.io/v1' };
	const requests = [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }];
	await apply(
		{
			...group,
			kind: 'DeviceClass',
			metadata: { name: 'gpu' },
			spec: { selectors: [{ cel: { expression: `device.driver == "${DRIVER}"` } }] },
		},
		{
			...{ ...group, kind: 'ResourceSlice', metadata: { name: 'slice' } },
			spec: { driver: DRIVER, nodeName: node, pool: { name: node, generation: 1, resourceSliceCount: 1 }, devices: [{ name: 'gpu-0' }] },
		},
		{ ...group, kind: 'ResourceClaimTemplate', metadata: { name: 'gpu' }, spec: { spec: { devices: { requests } } } },
		pod('alone', { resources: { requests: whole, limits: { ...whole, 'example.com/null': '1' } } }),
		pod(
			'claims',
			{ resources: { claims: [{ name: 'local' }] } },
			{ resourceClaims: [{ name: 'local', resourceClaimTemplateName: 'gpu' }] },
		),
	);
	await Promise.all([ready('alone'), ready('claims')]);
	const own = await cpusOf('alone');
	t.regex(own, /^[1-9]\d*$/, 'one that is not reserved');
	t.is(await sh('alone', 'test -c /dev/mine && echo $DEVICES'), 'mine');
	await eventually('the others elsewhere', async () => (await cpusOf('shares')) !== all);
	if (CPUS === 2) t.is(await cpusOf('shares'), '0');
	t.is(driver.prepared.size, 1);

	const client = await grpcClient(PodResourcesListerService, { address: join(rootDir, 'pod-resources', 'kubelet.sock'), clock: realClock });
	t.teardown(() => client.close());
	const { podResources: alone } = await client.get({ podName: 'alone', podNamespace: 'default' });
	t.like(alone?.containers[0], { cpuIds: [BigInt(own)], devices: [{ resourceName: 'example.com/null', deviceIds: ['mine'] }] });
	const { podResources: claims } = await client.get({ podName: 'claims', podNamespace: 'default' });
	t.is(claims?.containers[0]?.dynamicResources[0]?.claimResources[0]?.driverName, DRIVER);

	await k.must(['delete', 'pod', 'alone', 'claims']);
	await eventually('all processors for all', async () => (await cpusOf('shares')) === all);
	await eventually('the claim given back', async () => driver.prepared.size === 0);
	await eventually('the claim gone', async () => (await k.must(['get', 'resourceclaims', '-o', 'name'])).trim() === '');
});
