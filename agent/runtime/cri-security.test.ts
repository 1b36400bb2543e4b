/** Which namespaces a container shares and with whom, and what of /proc and /sys it does not see. */
import test from 'ava';
import type { Container, PodSpec } from '../../api/gen/types.ts';
import { NamespaceMode, SecurityProfile_ProfileType as Profile } from '../../wire/gen/cri.ts';
import { containerSecurity, sandboxSecurity } from './cri-security.ts';
import { READONLY_PATHS } from './masked-paths.ts';

const { POD, CONTAINER, NODE, TARGET } = NamespaceMode;
const spec: Container = { name: 'c', image: 'i' };

for (const [name, pod, want] of [
	['its own processes, the network and IPC of its pod', {}, [POD, CONTAINER, POD]],
	['the network of the node', { hostNetwork: true }, [NODE, CONTAINER, POD]],
	['the processes of the node', { hostPID: true }, [POD, NODE, POD]],
	['the processes of its pod', { shareProcessNamespace: true }, [POD, POD, POD]],
	['the IPC of the node', { hostIPC: true }, [POD, CONTAINER, NODE]],
] as const satisfies readonly (readonly [string, Partial<PodSpec>, readonly unknown[]])[])
	test(`a container sees ${name}; so does its sandbox`, (t) => {
		const all = { metadata: {}, spec: { containers: [spec], ...pod } };
		const { namespaceOptions: own } = containerSecurity(all, { kind: 'app', spec, target: '' }, { targetId: '', masked: [] });
		t.deepEqual([own?.network, own?.pid, own?.ipc, own?.targetId], [...want, '']);
		const { namespaceOptions: shared } = sandboxSecurity(all);
		t.deepEqual([shared?.network, shared?.pid, shared?.ipc], [...want]);
	});

test('a container for debugging sees the processes of the one that it is for, once that runs', (t) => {
	const pod = { metadata: {}, spec: { containers: [spec], shareProcessNamespace: true } };
	const of = (targetId: string): unknown => {
		const debug = { kind: 'ephemeral', spec: { ...spec, name: 'd' }, target: 'c' } as const;
		const { namespaceOptions } = containerSecurity(pod, debug, { targetId, masked: [] });
		return [namespaceOptions?.pid, namespaceOptions?.targetId];
	};
	t.deepEqual(
		[of('c-id'), of('')],
		[
			[TARGET, 'c-id'],
			[POD, ''],
		],
	);
});

for (const [name, context, masked, readonly, seccomp] of [
	['nothing', {}, ['/proc/kcore'], READONLY_PATHS, Profile.Unconfined],
	['the default', { procMount: 'Default' }, ['/proc/kcore'], READONLY_PATHS, Profile.Unconfined],
	['to see all of /proc', { procMount: 'Unmasked' }, [], [], Profile.Unconfined],
	['every right', { privileged: true, seccompProfile: { type: 'RuntimeDefault' } }, [], [], Profile.Unconfined],
	["the runtime's profile", { seccompProfile: { type: 'RuntimeDefault' } }, ['/proc/kcore'], READONLY_PATHS, Profile.RuntimeDefault],
] as const)
	test(`a container that asks for ${name}`, (t) => {
		const asking = { ...spec, securityContext: context };
		const pod = { metadata: {}, spec: { containers: [asking] } };
		const made = containerSecurity(pod, { kind: 'app', spec: asking, target: '' }, { targetId: '', masked: ['/proc/kcore'] });
		t.deepEqual([made.maskedPaths, made.readonlyPaths, made.seccomp?.profileType], [[...masked], [...readonly], seccomp]);
	});
