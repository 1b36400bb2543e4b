/** [sig-node] Kubelet, KubeletManagedEtcHosts: logs, ends, read-only roots, /etc/hosts. */
import { eventually } from '../../../tools/eventually.ts';
import { gone } from '../../refusals.ts';
import { conformance } from '../../suite.ts';
import { BOUND_MS, containerOf, create, ended, inside, logOf, nameOf, output, read, remove, running, STAYS, until } from '../pod.ts';

conformance(
	'[sig-node] Kubelet when scheduling a busybox command in a pod should print the output to logs [NodeConformance] [Conformance]',
	async (world) => {
		world.t.is(await output(world, { script: "echo 'Hello World'" }), 'Hello World\n');
	},
);

conformance(
	'[sig-node] Kubelet when scheduling a busybox command that always fails in a pod should have an terminated reason [NodeConformance] [Conformance]',
	async (world) => {
		const name = nameOf(await create(world, { container: { command: ['/bin/false'] }, spec: { restartPolicy: 'Always' } }));
		const { status } = await until(world, name, 'has a container that ended', ({ status: s }) => {
			const container = s?.containerStatuses?.[0];
			return container?.state?.terminated ?? container?.lastState?.terminated;
		});
		const { state, lastState } = status?.containerStatuses?.[0] ?? {};
		const over = state?.terminated ?? lastState?.terminated;
		world.t.deepEqual([over?.exitCode, over?.reason], [1, 'Error']);
	},
);

conformance(
	'[sig-node] Kubelet when scheduling a busybox command that always fails in a pod should be possible to delete [NodeConformance] [Conformance]',
	async (world) => {
		const name = nameOf(await create(world, { container: { command: ['/bin/false'] }, spec: { restartPolicy: 'Always' } }));
		await until(world, name, 'failed once', ({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) > 0);
		await remove(world, name);
		await eventually(`${name} is gone`, () => gone(read(world, name)), BOUND_MS);
		world.t.pass();
	},
);

conformance(
	'[sig-node] Kubelet when scheduling a read only busybox container should not write to root filesystem [LinuxOnly] [NodeConformance] [Conformance]',
	async (world) => {
		const pod = await ended(world, {
			script: 'echo test > /file; sync; test ! -e /file',
			container: { securityContext: { readOnlyRootFilesystem: true } },
		});
		world.t.is(pod.status?.phase, 'Succeeded');
		world.t.regex(await logOf(world, nameOf(pod)), /Read-only file system/);
	},
);

conformance(
	'[sig-node] Kubelet when scheduling an agnhost Pod with hostAliases should write entries to /etc/hosts [NodeConformance] [Conformance]',
	async (world) => {
		const hostAliases = [{ ip: '123.45.67.89', hostnames: ['foo', 'bar'] }];
		const hosts = await output(world, { script: 'cat /etc/hosts', spec: { hostAliases } });
		world.t.regex(hosts, /^# Kubernetes-managed hosts file\.\n/);
		world.t.regex(hosts, /\n# Entries added by HostAliases\.\n123\.45\.67\.89\tfoo\tbar\n/);
	},
);

conformance(
	'[sig-node] KubeletManagedEtcHosts should test kubelet managed /etc/hosts file [NodeConformance] [Conformance]',
	async (world) => {
		const { t } = world;
		const own = { name: 'own', mountPath: '/etc/hosts' };
		const containers = [
			containerOf(world, STAYS),
			containerOf(world, STAYS, { name: 'second' }),
			containerOf(world, STAYS, { name: 'mounts', volumeMounts: [own] }),
		];
		const volumes = [{ name: 'own', hostPath: { path: '/etc/hosts', type: 'File' } }];
		await Promise.all([
			running(world, { name: 'pod', spec: { containers, volumes } }),
			running(world, { name: 'host', spec: { containers, volumes, hostNetwork: true } }),
		]);
		const managed = async (pod: string, container: string): Promise<boolean> =>
			(await inside(world, pod, 'cat /etc/hosts', container)).startsWith('# Kubernetes-managed hosts file.');
		// Theirs of a pod's own network; not where the container brings one, and the node's own on the node's network, with a heading.
		t.deepEqual(await Promise.all(['c', 'second', 'mounts'].map((c) => managed('pod', c))), [true, true, false]);
		t.regex(await inside(world, 'host', 'cat /etc/hosts'), /^# Kubernetes-managed hosts file \(host network\)\.\n/);
		t.false(await managed('host', 'mounts'));
		const { status } = await read(world, 'pod');
		t.regex(await inside(world, 'pod', 'cat /etc/hosts', 'second'), new RegExp(`\\n${status?.podIP}\\tpod\\n`));
	},
);
