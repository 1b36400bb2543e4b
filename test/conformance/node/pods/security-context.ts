/** [sig-node] Security Context: users, groups, privileges. */
import type { V1PodSecurityContext, V1SecurityContext } from '@kubernetes/client-node';
import { conformance, type World } from '../../suite.ts';
import { output } from '../pod.ts';

const runs = (world: World, script: string, container: V1SecurityContext, pod: V1PodSecurityContext = {}): Promise<string> =>
	output(world, { script, container: { securityContext: container }, spec: { securityContext: pod } });

conformance(
	'[sig-node] Security Context When creating a container with runAsUser should run the container with uid 65534 [LinuxOnly] [NodeConformance] [Conformance]',
	async (world) => {
		world.t.is(await runs(world, 'id -u', { runAsUser: 65534 }), '65534\n');
		world.t.is(await runs(world, 'id -u', { runAsUser: 0 }), '0\n');
	},
);

conformance(
	'[sig-node] Security Context should support container.SecurityContext.RunAsUser And container.SecurityContext.RunAsGroup [LinuxOnly] [Conformance]',
	async (world) => {
		// The container's goes over the pod's.
		const text = await runs(world, 'id -u; id -g', { runAsUser: 1001, runAsGroup: 2002 }, { runAsUser: 1, runAsGroup: 2 });
		world.t.is(text, '1001\n2002\n');
	},
);

conformance(
	'[sig-node] Security Context should support pod.Spec.SecurityContext.RunAsUser And pod.Spec.SecurityContext.RunAsGroup [LinuxOnly] [Conformance]',
	async (world) => {
		world.t.is(await runs(world, 'id -u; id -g', {}, { runAsUser: 1001, runAsGroup: 2002 }), '1001\n2002\n');
	},
);

conformance(
	'[sig-node] Security Context When creating a pod with privileged should run the container as unprivileged when false [LinuxOnly] [NodeConformance] [Conformance]',
	async (world) => {
		const text = await runs(world, 'ip link add dummy0 type dummy || true', { privileged: false });
		world.t.regex(text, /Operation not permitted/);
	},
);

conformance(
	'[sig-node] Security Context When creating a pod with readOnlyRootFilesystem should run the container with writable rootfs when readOnlyRootFilesystem=false [NodeConformance] [Conformance]',
	async (world) => {
		world.t.is(await runs(world, 'echo written > /file; cat /file', { readOnlyRootFilesystem: false }), 'written\n');
	},
);

conformance(
	'[sig-node] Security Context when creating containers with AllowPrivilegeEscalation should not allow privilege escalation when false [LinuxOnly] [NodeConformance] [Conformance]',
	async (world) => {
		// The kernel's word for it: no program that runs gets its owner's rights.
		const script = 'grep NoNewPrivs /proc/self/status';
		world.t.regex(await runs(world, script, { allowPrivilegeEscalation: false, runAsUser: 1000 }), /NoNewPrivs:\s1/);
		world.t.regex(await runs(world, script, { allowPrivilegeEscalation: true, runAsUser: 1000 }), /NoNewPrivs:\s0/);
	},
);
