/** One container's status from the runtime and the status before. Pure. */
import type { ContainerState, ContainerStateTerminated, ContainerStatus, Pod } from '../../api/gen/types.ts';
import { timeOf } from '../../api/time.ts';
import { isRecursive } from '../container/recursive-read-only.ts';
import type { ContainerRuntime, PodRuntime } from '../runtime/runtime.ts';
import { reported } from '../resize/actions.ts';
import type { PodContainer } from './containers.ts';
import type { StatusFacts } from './facts.ts';
import { RESTARTING_MESSAGE, RESTARTING_REASON } from './restart-all.ts';
import { restartsAfter } from './restart-rules.ts';

/** What kubelet says of a container that vanished. */
const VANISHED_EXIT_CODE = 137;
const LOST_AT_END = 'The container could not be located when the pod was terminated';
const LOST = 'The container could not be located when the pod was deleted.  The container used to be Running';

/** @param resetting all containers are being taken away to start anew */
export function containerStatus(
	pod: Pod,
	c: PodContainer,
	seen: PodRuntime | undefined,
	before: ContainerStatus | undefined,
	facts: StatusFacts,
	resetting = false,
): ContainerStatus {
	const [newest, previous] = (seen?.containers ?? []).filter((r) => r.name === c.spec.name);
	if (newest === undefined) return absent(pod, c, seen, before, facts, resetting);
	const waiting = facts.waiting.get(c.spec.name);
	const state = stateOf(newest, facts);
	const id = `${facts.runtimeName}://${newest.id}`;
	const base: ContainerStatus = {
		name: c.spec.name,
		// A runtime that was given an id may answer with it; people know the image by name.
		image: newest.image.startsWith('sha256:') || newest.image === '' ? (c.spec.image ?? '') : newest.image,
		imageID: newest.imageRef,
		containerID: id,
		restartCount: newest.attempt,
		ready: isReady(c, newest, facts),
		// Whether a container for debugging has started is not said.
		...(c.kind === 'ephemeral' ? {} : { started: newest.state === 'running' && facts.started(newest) }),
		...(newest.stopSignal === undefined || c.spec.lifecycle?.stopSignal === undefined ? {} : { stopSignal: newest.stopSignal }),
		...(newest.user === undefined ? {} : { user: { linux: { ...newest.user, supplementalGroups: [...newest.user.supplementalGroups] } } }),
		...reported(c, newest, facts.actuated?.(c.spec.name)),
		...mountsOf(c, facts),
	};
	const last =
		previous?.state === 'exited'
			? { terminated: terminated(previous, facts) }
			: before?.restartCount === newest.attempt
				? (before.lastState ?? {})
				: {};
	if (newest.state === 'exited' && waiting !== undefined && !facts.ended && restartsAfter(pod, c, newest.exitCode ?? 1))
		return { ...base, state: { waiting }, lastState: state };
	if ((newest.state === 'created' || newest.state === 'unknown') && facts.ended)
		return { ...base, state: neverFound(LOST_AT_END), lastState: last };
	if (newest.state === 'created' || newest.state === 'unknown')
		return { ...base, state: { waiting: waiting ?? defaultWaiting(pod) }, lastState: last };
	return { ...base, state, lastState: last };
}

function stateOf(container: ContainerRuntime, facts: StatusFacts): ContainerState {
	switch (container.state) {
		case 'running':
			return { running: { startedAt: timeOf(container.startedAt ?? container.createdAt) } };
		case 'exited':
			return { terminated: terminated(container, facts) };
		case 'created':
		case 'unknown':
			return {};
	}
}

function terminated(container: ContainerRuntime, facts: StatusFacts): ContainerStateTerminated {
	const exitCode = container.exitCode ?? VANISHED_EXIT_CODE;
	const message = [container.message, facts.terminationMessage(container)].filter((part) => part !== '').join(': ');
	return {
		exitCode,
		reason: container.reason || (exitCode === 0 ? 'Completed' : 'Error'),
		...(message === '' ? {} : { message }),
		startedAt: timeOf(container.startedAt ?? container.createdAt),
		finishedAt: timeOf(container.finishedAt ?? container.createdAt),
		containerID: `${facts.runtimeName}://${container.id}`,
	};
}

/** The runtime knows no such container: not made yet, or gone. */
function absent(
	pod: Pod,
	c: PodContainer,
	seen: PodRuntime | undefined,
	before: ContainerStatus | undefined,
	facts: StatusFacts,
	resetting: boolean,
): ContainerStatus {
	const waiting = facts.waiting.get(c.spec.name) ?? keptWaiting(before) ?? defaultWaiting(pod);
	const blank: ContainerStatus = {
		name: c.spec.name,
		image: c.spec.image ?? '',
		imageID: '',
		restartCount: before?.restartCount ?? 0,
		ready: false,
		...(c.kind === 'ephemeral' ? {} : { started: false }),
		state: { waiting },
		lastState: before?.lastState ?? {},
		...mountsOf(c, facts),
	};
	const ran = before?.state?.running !== undefined || before?.state?.terminated !== undefined;
	if (resetting && ran && !facts.ended && c.kind !== 'ephemeral')
		return {
			...blank,
			state: { waiting: RESTARTING },
			lastState: { terminated: { ...RESTARTING, exitCode: VANISHED_EXIT_CODE } },
			restartCount: (before.restartCount ?? 0) + 1,
		};
	if (before?.state?.terminated !== undefined && (seen?.sandboxes[0]?.ready !== true || facts.ended || c.kind === 'init'))
		return { ...blank, ...before, ready: c.kind === 'init' && before.state.terminated.exitCode === 0 };
	if (c.kind === 'init' && pod.spec?.containers.some((app) => seen?.containers.some((r) => r.name === app.name))) {
		const message = 'Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally';
		return { ...blank, ready: true, state: { terminated: { exitCode: 0, reason: 'Completed', message } } };
	}
	if (facts.ended && (ran || hasBegun(pod, c, seen))) return { ...blank, state: neverFound(LOST_AT_END) };
	if (!ran) return blank;
	const lastState = before.state?.running === undefined ? (before.state ?? {}) : neverFound(LOST);
	return { ...blank, lastState, restartCount: before.restartCount + 1 };
}

/** Of a pod that has ended: whether the container's turn had come. One whose turn never came goes on waiting. */
function hasBegun(pod: Pod, c: PodContainer, seen: PodRuntime | undefined): boolean {
	const newest = (name: string): ContainerRuntime | undefined => seen?.containers.find((r) => r.name === name);
	const inits = pod.spec?.initContainers ?? [];
	if ((pod.spec?.containers ?? []).some((app) => newest(app.name) !== undefined)) return true;
	if (c.kind === 'init' || c.kind === 'sidecar')
		return inits.slice(inits.findIndex((init) => init.name === c.spec.name) + 1).some((later) => newest(later.name) !== undefined);
	const last = inits.at(-1);
	if (last === undefined) return true;
	const ran = newest(last.name);
	return last.restartPolicy === 'Always' ? ran !== undefined : ran?.state === 'exited' && ran.exitCode === 0;
}

const RESTARTING = { reason: RESTARTING_REASON, message: RESTARTING_MESSAGE };

/** Until it is made anew it is said why it went. */
function keptWaiting(before: ContainerStatus | undefined): typeof RESTARTING | undefined {
	return before?.state?.waiting?.reason === RESTARTING_REASON ? RESTARTING : undefined;
}

function neverFound(message: string): ContainerState {
	return { terminated: { exitCode: VANISHED_EXIT_CODE, reason: 'ContainerStatusUnknown', message } };
}

/** Init containers wait for each other, and all the others for them. */
function defaultWaiting(pod: Pod): { readonly reason: string } {
	return { reason: (pod.spec?.initContainers?.length ?? 0) > 0 ? 'PodInitializing' : 'ContainerCreating' };
}

function isReady(c: PodContainer, container: ContainerRuntime, facts: StatusFacts): boolean {
	switch (c.kind) {
		case 'init':
			return container.state === 'exited' && container.exitCode === 0;
		case 'ephemeral':
			return false;
		case 'sidecar':
		case 'app':
			return container.state === 'running' && facts.started(container) && facts.ready(container);
	}
}

/** Read-only all the way down is said as it is, not as it was asked for. */
function mountsOf(c: PodContainer, { recursiveReadOnly = false }: StatusFacts): Pick<ContainerStatus, 'volumeMounts'> {
	const mounts = c.spec.volumeMounts ?? [];
	if (mounts.length === 0) return {};
	return {
		volumeMounts: mounts.map((m) => ({
			name: m.name,
			mountPath: m.mountPath,
			...(m.readOnly === true ? { readOnly: true, recursiveReadOnly: isRecursive(m, recursiveReadOnly) ? 'Enabled' : 'Disabled' } : {}),
		})),
	};
}
