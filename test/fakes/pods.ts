/** Pods and what a runtime says of them, for tables. */
import type { Container, ContainerStatus, Pod, PodSpec } from '../../api/gen/types.ts';
import { containerHash } from '../../agent/pod/hash.ts';
import type { ContainerRuntime, PodRuntime } from '../../agent/runtime/runtime.ts';

/** Its one container is "c". */
export const pod = (spec: Partial<PodSpec> = {}, meta: Pod['metadata'] = {}): Pod => ({
	metadata: { name: 'p', namespace: 'n', uid: 'u', ...meta },
	spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

export const container = (
	name: string,
	state: ContainerRuntime['state'],
	extra: Partial<ContainerRuntime> = {},
	spec: Container = { name, image: 'i' },
): ContainerRuntime => ({
	id: `${name}-id`,
	name,
	sandboxId: 's',
	state,
	attempt: 0,
	image: 'i',
	imageRef: 'i',
	imageId: 'i',
	createdAt: 0,
	startedAt: 0,
	finishedAt: state === 'exited' ? 1000 : undefined,
	exitCode: state === 'exited' ? 0 : undefined,
	reason: '',
	message: '',
	hash: containerHash(spec),
	annotations: {},
	logPath: '',
	...extra,
});

/** Its UID is its name. */
export const named = (name: string, spec: Partial<PodSpec> = {}): Pod => pod(spec, { name, uid: name });

/** A pod whose sandbox is up, with these containers, newest first. */
export const seen = (...containers: readonly ContainerRuntime[]): PodRuntime => ({
	uid: 'u',
	name: 'p',
	namespace: 'n',
	sandboxes: [{ id: 's', attempt: 0, ready: true, createdAt: 0, ips: ['10.0.0.1'], hostNetwork: false }],
	containers,
});

export const status = (name: string, state: ContainerStatus['state'], lastState: ContainerStatus['state'] = {}): ContainerStatus => ({
	name,
	image: 'i',
	imageID: 'i',
	ready: false,
	restartCount: 0,
	state,
	lastState,
});

/** A container's state once it has ended. */
export const end = (exitCode: number): ContainerStatus['state'] => ({ terminated: { exitCode } });

/** What a node knows beside its runtime when it reports a pod. */
export const facts = {
	now: 5000,
	runtimeName: 'docker',
	nodeIps: ['192.0.2.1'],
	waiting: new Map(),
	ended: false,
	started: () => true,
	ready: () => true,
	terminationMessage: () => '',
};
