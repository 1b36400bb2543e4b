/** Pods in tables: the Ready, Status and Restarts columns follow upstream's printPod. Pure. */
import type { ContainerStatus, Pod } from '../../../api/gen/types.ts';
import { age, columns, humanDuration, orNone, type Cell, type Printer } from './column.ts';

export const podPrinter: Printer = {
	columns: columns('Name', 'Ready', 'Status', 'Restarts', 'Age', 'IP*', 'Node*', 'Nominated Node*', 'Readiness Gates*'),
	cells(pod: Pod, now): readonly Cell[] {
		const { ready, total, reason, restarts } = summary(pod, now);
		const gates = pod.spec?.readinessGates ?? [];
		const met = gates.filter((g) => pod.status?.conditions?.find((c) => c.type === g.conditionType)?.status === 'True').length;
		return [
			pod.metadata.name ?? '',
			`${ready}/${total}`,
			reason,
			restarts,
			age(pod, now),
			orNone(pod.status?.podIPs?.[0]?.ip ?? pod.status?.podIP),
			orNone(pod.spec?.nodeName),
			orNone(pod.status?.nominatedNodeName),
			gates.length === 0 ? '<none>' : `${met}/${gates.length}`,
		];
	},
	completed(pod: Pod) {
		if (pod.status?.phase === 'Succeeded') return { reason: 'Succeeded', message: 'The pod has completed successfully.' };
		if (pod.status?.phase === 'Failed') return { reason: 'Failed', message: 'The pod failed.' };
		return undefined;
	},
};

interface Summary {
	readonly ready: number;
	readonly total: number;
	readonly reason: string;
	readonly restarts: string;
}

function summary(pod: Pod, now: number): Summary {
	const { spec, status } = pod;
	const sidecars = new Set((spec?.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').map((c) => c.name));
	const counted = { ready: 0, total: (spec?.containers?.length ?? 0) + sidecars.size, restarts: 0, last: 0 };
	let reason = status?.reason !== undefined && status.reason !== '' ? status.reason : (status?.phase ?? '');
	if (status?.conditions?.some((c) => c.type === 'PodScheduled' && c.reason === 'SchedulingGated')) reason = 'SchedulingGated';
	const count = (s: ContainerStatus): void => {
		counted.restarts += s.restartCount;
		const ended = s.lastState?.terminated?.finishedAt;
		if (ended !== undefined && ended !== null) counted.last = Math.max(counted.last, Date.parse(ended));
	};

	let initialising = false;
	const sidecarRestarts = { ...counted };
	for (const [i, s] of (status?.initContainerStatuses ?? []).entries()) {
		count(s);
		const sidecar = sidecars.has(s.name);
		if (sidecar) {
			sidecarRestarts.restarts += s.restartCount;
			sidecarRestarts.last = Math.max(sidecarRestarts.last, Date.parse(s.lastState?.terminated?.finishedAt ?? '') || 0);
		}
		const { terminated, waiting } = s.state ?? {};
		if (terminated !== undefined && terminated.exitCode === 0) continue;
		if (sidecar && s.started === true) {
			if (s.ready) counted.ready++;
			continue;
		}
		initialising = true;
		if (terminated !== undefined) reason = `Init:${endReason(terminated)}`;
		else if (waiting?.reason !== undefined && waiting.reason !== '' && waiting.reason !== 'PodInitializing')
			reason = `Init:${waiting.reason}`;
		else reason = `Init:${i}/${spec?.initContainers?.length ?? 0}`;
		break;
	}

	const initialized = status?.conditions?.some((c) => c.type === 'Initialized' && c.status === 'True') === true;
	if (!initialising || initialized) {
		counted.restarts = sidecarRestarts.restarts;
		counted.last = sidecarRestarts.last;
		let running = false;
		let error = '';
		for (const s of (status?.containerStatuses ?? []).toReversed()) {
			count(s);
			const { waiting, terminated } = s.state ?? {};
			if (waiting?.reason !== undefined && waiting.reason !== '') reason = waiting.reason;
			else if (terminated !== undefined) {
				reason = endReason(terminated);
				if (terminated.exitCode !== 0) error = reason;
			} else if (s.ready && s.state?.running !== undefined) {
				running = true;
				counted.ready++;
			}
		}
		if (reason === 'Completed') {
			if (running && status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true) reason = 'Running';
			else if (error !== '') reason = error;
			else if (running) reason = 'NotReady';
		}
	}
	if (pod.metadata.deletionTimestamp !== undefined) {
		if (status?.reason === 'NodeLost') reason = 'Unknown';
		else if (status?.phase !== 'Succeeded' && status?.phase !== 'Failed') reason = 'Terminating';
	}
	const restarts =
		counted.restarts !== 0 && counted.last !== 0
			? `${counted.restarts} (${humanDuration(now - counted.last)} ago)`
			: String(counted.restarts);
	return { ready: counted.ready, total: counted.total, reason, restarts };
}

function endReason({
	reason,
	signal,
	exitCode,
}: {
	readonly reason?: string | undefined;
	readonly signal?: number | undefined;
	readonly exitCode: number;
}): string {
	if (reason !== undefined && reason !== '') return reason;
	return signal !== undefined && signal !== 0 ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}
