/** The conditions that the agent owns. Pure; reasons and messages are upstream's. */
import type { ContainerStatus, Pod, PodCondition } from '../../api/gen/types.ts';
import { containersOf, type PodContainer } from './containers.ts';
import type { Phase } from './phase.ts';
import { RESTARTING_CONDITION } from './restart-all.ts';

export interface ConditionInput {
	readonly pod: Pod;
	readonly statuses: ReadonlyMap<string, ContainerStatus>;
	readonly phase: Phase;
	/** A sandbox with a network stands. */
	readonly sandboxReady: boolean;
	/** All containers are being restarted; absent for a pod that has no rule for it. */
	readonly restarting?: boolean;
	/** Beyond these. */
	readonly more?: readonly PodCondition[];
	/** The conditions last made. */
	readonly before: readonly PodCondition[];
}

interface Verdict {
	readonly status: 'True' | 'False';
	readonly reason?: string;
	readonly message?: string;
}

/** All of them, without times. */
export function conditionsOf(input: ConditionInput): readonly PodCondition[] {
	const containersReady = containersReadyOf(input);
	const verdicts: readonly (readonly [string, Verdict])[] = [
		['PodReadyToStartContainers', { status: input.sandboxReady ? 'True' : 'False' }],
		['Initialized', initialized(input)],
		['Ready', ready(input.pod, containersReady)],
		['ContainersReady', containersReady],
		['PodScheduled', { status: 'True' }],
		...(input.restarting === undefined ? [] : [[RESTARTING_CONDITION, restarting(input.phase, input.restarting)] as const]),
	];
	const observedGeneration = input.pod.metadata.generation;
	const generation = observedGeneration === undefined ? {} : { observedGeneration };
	return [
		...verdicts.map(([type, verdict]) => ({ type, ...generation, ...verdict })),
		...(input.more ?? []).map((c) => ({ ...generation, ...c })),
	];
}

/** Keeps the transition time of what did not change. */
export function withTimes(conditions: readonly PodCondition[], before: readonly PodCondition[], now: string): PodCondition[] {
	return conditions.map((c) => {
		const old = before.find((b) => b.type === c.type);
		const since = old !== undefined && old.status === c.status ? old.lastTransitionTime : undefined;
		return { ...c, lastTransitionTime: since ?? now };
	});
}

function initialized({ pod, statuses, phase, before }: ConditionInput): Verdict {
	const containers = containersOf(pod);
	const done = phase === 'Succeeded' ? { reason: 'PodCompleted' } : {};
	if (phase === 'Succeeded') return { status: 'True', ...done };
	const appRan = containers.some((c) => {
		const s = statuses.get(c.spec.name);
		return c.kind === 'app' && (s?.state?.running ?? s?.state?.terminated ?? s?.lastState?.terminated) !== undefined;
	});
	if (appRan) return { status: 'True' };
	const inits = containers.filter((c) => c.kind === 'init' || c.kind === 'sidecar');
	const unknown = inits.filter((c) => !statuses.has(c.spec.name));
	const incomplete = inits.filter((c) => {
		const s = statuses.get(c.spec.name);
		return s !== undefined && (c.kind === 'sidecar' ? s.started : s.ready) !== true;
	});
	const messages = told(unknown, incomplete, 'incomplete');
	if (messages === '') return { status: 'True' };
	// A pod that has been initialized stays so while its containers start anew.
	if (before.some((c) => c.type === 'Initialized' && c.status === 'True')) return { status: 'True' };
	return { status: 'False', reason: 'ContainersNotInitialized', message: messages };
}

function restarting(phase: Phase, goesOn: boolean): Verdict {
	if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
	if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
	return goesOn
		? { status: 'True', reason: 'RestartAllContainersStarted', message: 'container exited with restart policy rule' }
		: { status: 'False' };
}

function containersReadyOf({ pod, statuses, phase }: ConditionInput): Verdict {
	const counted = containersOf(pod).filter((c) => c.kind === 'app' || c.kind === 'sidecar');
	if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
	if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
	const unknown = counted.filter((c) => !statuses.has(c.spec.name));
	const unready = counted.filter((c) => statuses.get(c.spec.name)?.ready === false);
	const message = told(unknown, unready, 'unready');
	return message === '' ? { status: 'True' } : { status: 'False', reason: 'ContainersNotReady', message };
}

function ready(pod: Pod, containersReady: Verdict): Verdict {
	if (containersReady.status !== 'True') return containersReady;
	const messages: string[] = [];
	for (const gate of pod.spec?.readinessGates ?? []) {
		const type = gate.conditionType;
		const found = pod.status?.conditions?.find((c) => c.type === type);
		if (found === undefined) messages.push(`corresponding condition of pod readiness gate "${type}" does not exist.`);
		else if (found.status !== 'True') messages.push(`the status of pod readiness gate "${type}" is not "True", but ${found.status}`);
	}
	return messages.length === 0 ? { status: 'True' } : { status: 'False', reason: 'ReadinessGatesNotReady', message: messages.join(', ') };
}

/** Upstream's words; none of none. */
function told(unknown: readonly PodContainer[], others: readonly PodContainer[], what: 'incomplete' | 'unready'): string {
	const parts = [['unknown', unknown] as const, [what, others] as const].filter(([, containers]) => containers.length > 0);
	return parts.map(([status, all]) => `containers with ${status} status: [${all.map((c) => c.spec.name).join(' ')}]`).join(', ');
}
