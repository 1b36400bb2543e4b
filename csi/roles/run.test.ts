/** Roles on sockets: a real driver on folders, its roles under leases against a real API server, health over HTTP, registration with a kubelet. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { LEASES, NODES, CSI_NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '../../api/resources.ts';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { createMetrics } from '../../base/metrics.ts';
import { runServices, type Service } from '../../base/service.ts';
import { testApiServer } from '../../test/fakes/api-server.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { RegistrationService } from '../../wire/gen/pluginregistration.ts';
import { grpcClient } from '../../wire/grpc/client.ts';
import { createCsiDriver } from '../driver.ts';
import { IdentityService } from '../proto.ts';
import { linkDriver } from './driver-link.ts';
import { createLivenessProbe } from './liveness-probe.ts';
import { componentName, leaseName } from './names.ts';
import { createNodeRegistrar } from './node-registrar.ts';
import { RpcError } from '../../wire/grpc/status.ts';
import { createRoles } from './run.ts';

const DRIVER = 'folders.csi.test';

async function withDriver(
	t: ExecutionContext,
	body: (socket: string, dir: string, run: (service: Service) => Promise<void>) => Promise<void>,
): Promise<void> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-roles-'));
	const stop = new AbortController();
	const running: Promise<void>[] = [];
	const run = async (service: Service): Promise<void> => {
		const ready = Promise.withResolvers<void>();
		const done = runServices([service], stop.signal, ready.resolve);
		done.catch(ready.reject);
		running.push(done);
		await ready.promise;
	};
	const socketPath = join(dir, 'csi.sock');
	try {
		await run(
			createCsiDriver(
				{
					...{ driverName: DRIVER, version: 'test', role: 'all', socketPath, nodeId: 'n1', maxVolumesPerNode: 0, targetRoots: [dir] },
					...{ dataDir: join(dir, 'pool'), runDir: join(dir, 'run'), backends: ['directory'] },
				},
				{ clock: realClock, log: noLog, metrics: createMetrics() },
			),
		);
		await body(socketPath, dir, run);
	} finally {
		stop.abort();
		await Promise.all(running);
		await rm(dir, { recursive: true, force: true });
	}
	t.pass();
}

test('roles under leases provision for a driver on a socket', (t) =>
	withDriver(t, async (address, _dir, run) => {
		const stop = new AbortController();
		const { client, stopped } = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
		try {
			using link = await linkDriver({ address, timeoutMs: 10_000, clock: realClock, log: noLog }, stop.signal);
			t.is(link.name, DRIVER);
			for (const [timeoutMs, message] of [
				[10_000, /^rpc error: code = InvalidArgument desc = /],
				[-1, 'rpc error: code = DeadlineExceeded desc = context deadline exceeded'],
			] as const)
				await t.throwsAsync(link.controller.deleteVolume({ volumeId: '', secrets: {} }, { timeoutMs }), { instanceOf: RpcError, message });
			const key = `topology.${DRIVER}/pool`;
			await client.create(STORAGE_CLASSES, { metadata: { name: 'folders' }, provisioner: DRIVER, volumeBindingMode: 'Immediate' });
			await client.create(PERSISTENT_VOLUME_CLAIMS, {
				metadata: { name: 'c', namespace: 'default', annotations: { 'volume.kubernetes.io/storage-provisioner': DRIVER } },
				spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'folders', resources: { requests: { storage: '1Mi' } } },
			});
			const pool = await poolOf(address);
			await client.create(NODES, { metadata: { name: 'n1', labels: { [key]: pool } } });
			await client.create(CSI_NODES, {
				metadata: { name: 'n1' },
				spec: { drivers: [{ name: DRIVER, nodeID: 'n1', topologyKeys: [key] }] },
			});
			const roles = ['provisioner', 'attacher', 'resizer', 'health-monitor'] as const;
			const shared = { address, timeoutMs: 10_000, workers: 2, backoff: { initialMs: 20, maxMs: 200 }, identity: 'me' };
			const deps = { client, clock: realClock, log: noLog };
			const listening = Promise.withResolvers<number>();
			const diagnostics = { host: '127.0.0.1', port: 0, metricsPath: '/metrics', onListening: listening.resolve };
			await run(createRoles({ roles, ...shared, leaseNamespace: 'kube-system', diagnostics }, deps));
			const asked = async (path: string): Promise<Response> => fetch(`http://127.0.0.1:${await listening.promise}${path}`);
			const [volume] = await eventually('a volume', async () => {
				const { items } = await client.list(PERSISTENT_VOLUMES);
				return items.length > 0 ? items : undefined;
			});
			t.like(volume?.spec?.csi, { driver: DRIVER });
			t.is(volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms[0]?.matchExpressions?.[0]?.key, key);
			const figures = await (await asked('/metrics')).text();
			const made = `driver_name="${DRIVER}",method_name="/csi.v1.Controller/CreateVolume",grpc_status_code="OK"`;
			t.true(figures.includes(`csi_sidecar_operations_seconds_count{${made}} 1`), figures);
			t.is(await (await asked('/healthz/leader-election')).text(), 'ok');
			t.is((await asked('/metrics?collect=all')).status, 200, 'scrapes may have parameters');
			t.is((await asked('/metrics/')).status, 404);
			for (const role of roles)
				await eventually(`the lease of the ${role}`, async () => {
					const lease = await client.get(LEASES, `kube-system/${leaseName(role, DRIVER)}`).catch(() => undefined);
					return lease?.spec?.holderIdentity === 'me';
				});
		} finally {
			stop.abort();
			await stopped;
		}
	}));

async function poolOf(address: string): Promise<string> {
	const { NodeService } = await import('../proto.ts');
	const node = await grpcClient(NodeService, { address, clock: realClock });
	const { accessibleTopology } = await node.nodeGetInfo({});
	node.close();
	return Object.values(accessibleTopology?.segments ?? {})[0] ?? '';
}

test('health is told over HTTP, and that nobody answers', (t) =>
	withDriver(t, async (address, dir, run) => {
		for (const [socket, status] of [
			[address, 200],
			[join(dir, 'nobody.sock'), 500],
		] as const) {
			const port = Promise.withResolvers<number>();
			const options = { address: socket, host: '127.0.0.1', port: 0, timeoutMs: 5000, onListening: port.resolve };
			await run({ ...createLivenessProbe(options, { clock: realClock, log: noLog }), name: socket });
			const answer = await fetch(`http://127.0.0.1:${await port.promise}/healthz`);
			t.is(answer.status, status);
			if (status === 200) t.is(await answer.text(), 'ok');
		}
	}));

test('the kubelet is told of a driver on another socket', (t) =>
	withDriver(t, async (address, dir, run) => {
		const options = { address, endpoint: '/seen/by/kubelet.sock', dir: join(dir, 'registry'), timeoutMs: 5000 };
		await run(createNodeRegistrar(options, { clock: realClock, log: noLog }));
		const kubelet = await grpcClient(RegistrationService, { address: join(dir, 'registry', `${DRIVER}-reg.sock`), clock: realClock });
		t.like(await kubelet.getInfo({}), { type: 'CSIPlugin', name: DRIVER, endpoint: '/seen/by/kubelet.sock' });
		kubelet.close();
		const identity = await grpcClient(IdentityService, { address, clock: realClock });
		t.true((await identity.probe({})).ready);
		identity.close();
	}));

test('leases and components have the names of upstream', (t) => {
	t.is(leaseName('provisioner', 'a/b'), 'a-b');
	t.is(leaseName('resizer', 'local.csi.dev'), 'external-resizer-local-csi-dev');
	t.is(leaseName('attacher', 'x.y'), 'external-attacher-leader-x.y');
	t.is(leaseName('snapshot-controller', ''), 'snapshot-controller-leader');
	t.is(componentName('resizer', 'x.y'), 'external-resizer x.y');
});
