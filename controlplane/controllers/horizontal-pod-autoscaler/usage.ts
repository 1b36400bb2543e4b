/** From what pods use to how many there should be (upstream's replica calculator). Pure. */
import type { Container, Pod } from '../../../api/gen/types.ts';
import { podCondition } from '../../../api/pod/conditions.ts';
import { ceilMilli } from '../../../api/quantity.ts';
import { AppError } from '../../../base/errors.ts';
import type { Sample, Samples } from './samples.ts';

/** What a pod uses while it starts says nothing. */
const CPU_INITIALIZATION_MS = 300_000;
/** Within this after its start a pod that is not ready never was. */
const INITIAL_READINESS_MS = 30_000;

/** Shares of the target by which use may differ without a change. */
export interface Tolerances {
	readonly up: number;
	readonly down: number;
}

export interface Proposal {
	readonly replicas: number;
	/** Thousandths used by one pod on average. */
	readonly average: number;
	/** Of what is requested, in percent. */
	readonly utilization?: number;
}

/** One look at the pods of a target. */
export interface Look {
	readonly pods: readonly Pod[];
	readonly current: number;
	readonly tolerances: Tolerances;
	readonly now: number;
}

interface Groups {
	readonly ready: number;
	readonly unready: ReadonlySet<string>;
	/** Without a sample. */
	readonly missing: ReadonlySet<string>;
	readonly ignored: ReadonlySet<string>;
}

export function isWithin({ up, down }: Tolerances, ratio: number): boolean {
	return 1 - down <= ratio && ratio <= 1 + up;
}

/** By the share of their requests that pods use. @param container '' for all of a pod */
export function replicasByUtilization(look: Look, samples: Samples, resource: string, container: string, targetPercent: number): Proposal {
	// Looked at only once there is something to compare: pods without samples are told first.
	let made: ReadonlyMap<string, number> | undefined;
	const requests = (): ReadonlyMap<string, number> =>
		(made ??= new Map(look.pods.map((pod) => [nameOf(pod), requestOf(pod, container, resource)])));
	const ratioOf = (counted: ReadonlyMap<string, number>): Ratio => utilization(counted, requests(), targetPercent);
	// What says nothing uses all of its request, or the target where that is higher.
	const most = (name: string): number => Math.trunc(((requests().get(name) ?? 0) * Math.max(100, targetPercent)) / 100);
	return proposal(look, samples, resource, ratioOf, most);
}

/** By what one pod uses on average, in thousandths. @param resource '' for a metric that is none */
export function replicasByAverage(look: Look, samples: Samples, resource: string, target: number): Proposal {
	const ratioOf = (counted: ReadonlyMap<string, number>): Ratio => {
		const average = Math.trunc(sum(counted.values()) / counted.size);
		return { ratio: average / target, average };
	};
	return proposal(look, samples, resource, ratioOf, () => target);
}

interface Ratio {
	/** Used to wanted. */
	readonly ratio: number;
	readonly average: number;
	readonly utilization?: number;
}

function proposal(
	{ pods, current, tolerances, now }: Look,
	samples: Samples,
	resource: string,
	ratioOf: (counted: ReadonlyMap<string, number>) => Ratio,
	mostOf: (name: string) => number,
): Proposal {
	if (pods.length === 0) throw new AppError('FailedPrecondition', 'no pods returned by selector while calculating replica count');
	const { ready, unready, missing, ignored } = groupPods(pods, samples, resource, now);
	const counted = new Map<string, number>();
	for (const [name, { value }] of samples) if (!ignored.has(name) && !unready.has(name)) counted.set(name, value);
	if (counted.size === 0) throw new AppError('FailedPrecondition', 'did not receive metrics for targeted pods (pods might be unready)');
	const { ratio, ...used } = ratioOf(counted);
	const stay: Proposal = { replicas: current, ...used };
	const growsUnready = unready.size > 0 && ratio > 1;
	if (!growsUnready && missing.size === 0) return isWithin(tolerances, ratio) ? stay : { ...stay, replicas: Math.ceil(ratio * ready) };
	// Who says nothing must not move anything: it counts against the direction.
	if (ratio !== 1) for (const name of missing) counted.set(name, ratio < 1 ? mostOf(name) : 0);
	if (growsUnready) for (const name of unready) counted.set(name, 0);
	const { ratio: again } = ratioOf(counted);
	const turned = (ratio < 1 && again > 1) || (ratio > 1 && again < 1);
	if (isWithin(tolerances, again) || turned) return stay;
	const replicas = Math.ceil(again * counted.size);
	return (again < 1 && replicas > current) || (again > 1 && replicas < current) ? stay : { ...stay, replicas };
}

/** Whose samples count. Exported for tests. */
export function groupPods(pods: readonly Pod[], samples: Samples, resource: string, now: number): Groups {
	const [unready, missing, ignored] = [new Set<string>(), new Set<string>(), new Set<string>()];
	let ready = 0;
	for (const pod of pods) {
		const name = nameOf(pod);
		const sample = samples.get(name);
		if (pod.metadata.deletionTimestamp !== undefined || pod.status?.phase === 'Failed') ignored.add(name);
		else if (pod.status?.phase === 'Pending') unready.add(name);
		else if (sample === undefined) missing.add(name);
		else if (resource === 'cpu' && isStarting(pod, sample, now)) unready.add(name);
		else ready++;
	}
	return { ready, unready, missing, ignored };
}

/** Its use of CPU says nothing yet: it starts, or never was ready. */
function isStarting(pod: Pod, sample: Sample, now: number): boolean {
	const condition = podCondition(pod, 'Ready');
	const { startTime } = pod.status ?? {};
	if (condition === undefined || startTime === undefined) return true;
	const [started, changed] = [Date.parse(startTime), Date.parse(condition.lastTransitionTime ?? '') || 0];
	const isUnready = condition.status === 'False';
	if (started + CPU_INITIALIZATION_MS > now) return isUnready || sample.at < changed + sample.windowMs;
	return isUnready && started + INITIAL_READINESS_MS > changed;
}

/** Thousandths that a pod, or one of its containers, asks for. */
function requestOf(pod: Pod, container: string, resource: string): number {
	const whole = pod.spec?.resources?.requests?.[resource];
	if (container === '' && whole !== undefined) return ceilMilli(whole);
	const sidecars = (pod.spec?.initContainers ?? []).filter((c) => c.restartPolicy === 'Always');
	const containers: readonly Container[] = [...(pod.spec?.containers ?? []), ...sidecars];
	let requested = 0;
	for (const { name, resources } of containers) {
		if (container !== '' && container !== name) continue;
		const request = resources?.requests?.[resource];
		if (request === undefined)
			throw new AppError('FailedPrecondition', `missing request for ${resource} in container ${name} of Pod ${nameOf(pod)}`);
		requested += ceilMilli(request);
	}
	return requested;
}

function utilization(counted: ReadonlyMap<string, number>, requests: ReadonlyMap<string, number>, targetPercent: number): Ratio {
	const known = [...counted].filter(([name]) => requests.has(name));
	const used = sum(known.map(([, value]) => value));
	const requested = sum(known.map(([name]) => requests.get(name) ?? 0));
	if (requested === 0) throw new AppError('FailedPrecondition', 'no metrics returned matched known pods');
	const percent = Math.trunc((used * 100) / requested);
	return { ratio: percent / targetPercent, utilization: percent, average: Math.trunc(used / known.length) };
}

function sum(values: Iterable<number>): number {
	let all = 0;
	for (const value of values) all += value;
	return all;
}

function nameOf(pod: Pod): string {
	return pod.metadata.name ?? '';
}
