/** How many replicas each metric of an autoscaler asks for, with its status and its name in reasons (upstream's computeReplicasForMetric). */
import type { MetricIdentifier, MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from '../../../api/gen/types.ts';
import { isReady } from '../../../api/pod/conditions.ts';
import { ceilMilli, formatQuantity } from '../../../api/quantity.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import { goSelector } from '../disruption/budget.ts';
import type { MetricSource } from './samples.ts';
import { isWithin, replicasByAverage, replicasByUtilization, type Look, type Proposal } from './usage.ts';

/** One look at a target: its pods, and how many it says it has. */
export interface Target extends Look {
	readonly namespace: string;
	/** Of the scale's status. */
	readonly selector: string;
	readonly observed: number;
	readonly signal: AbortSignal;
}

interface MetricProposal {
	readonly replicas: number;
	/** "cpu resource utilization (percentage of request)" */
	readonly name: string;
	readonly status: MetricStatus;
}

/** A metric that cannot be told: what the condition and what the error say. */
export class MetricFailure extends AppError {
	readonly reason: string;
	/** Of the condition and the event: without what was asked for in front. */
	readonly why: string;

	constructor(reason: string, what: string, cause: unknown) {
		super('Unavailable', `${what}: ${messageOf(cause)}`, { cause });
		this.reason = reason;
		this.why = cause instanceof Asked ? cause.why : messageOf(cause);
	}
}

/** A failure with what was asked for in front, which only the error says. */
class Asked extends AppError {
	readonly why: string;

	constructor(what: string, cause: unknown) {
		super('Unavailable', `${what}: ${messageOf(cause)}`, { cause });
		this.why = messageOf(cause);
	}
}

type Propose = (source: MetricSource, metric: MetricSpec, target: Target) => Promise<MetricProposal>;

interface MetricType {
	readonly reason: string;
	readonly what: (metric: MetricSpec) => string;
	readonly propose: Propose;
}

const TYPES: Readonly<Record<string, MetricType>> = {
	Resource: {
		reason: 'FailedGetResourceMetric',
		what: ({ resource }) => `failed to get ${resource?.name} resource metric value`,
		async propose(source, { resource: { name = '', target = NO_TARGET } = {} }, look) {
			const { current, ...found } = await ofResource(source, name, '', target, look);
			return { ...found, status: { type: 'Resource', resource: { name, current } } };
		},
	},
	ContainerResource: {
		reason: 'FailedGetContainerResourceMetric',
		what: ({ containerResource }) => `failed to get ${containerResource?.container} container metric value`,
		async propose(source, { containerResource: { name = '', container = '', target = NO_TARGET } = {} }, look) {
			const { current, ...found } = await ofResource(source, name, container, target, look);
			return { ...found, status: { type: 'ContainerResource', containerResource: { name, container, current } } };
		},
	},
	Pods: {
		reason: 'FailedGetPodsMetric',
		what: () => 'failed to get pods metric value',
		async propose(source, { pods }, look) {
			const { metric = NO_METRIC, target = NO_TARGET } = pods ?? {};
			const samples = await told(
				`unable to get metric ${metric.name}`,
				source.pods(metric.name, look.namespace, look.selector, metric.selector, look.signal),
			);
			const { replicas, average } = replicasByAverage(look, samples, '', ceilMilli(target.averageValue));
			const status: MetricStatus = { type: 'Pods', pods: { metric, current: { averageValue: milli(average) } } };
			return { replicas, name: `pods metric ${metric.name}`, status };
		},
	},
	Object: {
		reason: 'FailedGetObjectMetric',
		what: () => 'failed to get object metric value',
		async propose(source, { object }, look) {
			const { metric = NO_METRIC, target = NO_TARGET, describedObject = { kind: '', name: '' } } = object ?? {};
			const namespace = look.namespace;
			const { kind, name } = describedObject;
			const read = (): Promise<number> =>
				told(
					`unable to get metric ${metric.name}: ${kind} on ${namespace} ${name}`,
					source.object(metric.name, namespace, describedObject, metric.selector, look.signal),
					'/',
				);
			const { current, ...found } = await ofOne(read, target, look, {
				...{ kind: 'object', name: `${kind} metric ${metric.name}`, sharedName: nameOf(metric) },
				...{ byValue: target.type === 'Value', shared: `failed to get ${metric.name} object metric` },
			});
			return { ...found, status: { type: 'Object', object: { describedObject, metric, current } } };
		},
	},
	External: {
		reason: 'FailedGetExternalMetric',
		what: ({ external }) => `failed to get ${external?.metric.name} external metric value`,
		async propose(source, { external }, look) {
			const { metric = NO_METRIC, target = NO_TARGET } = external ?? {};
			const namespace = look.namespace;
			const read = (): Promise<number> =>
				told(
					`unable to get external metric ${namespace}/${metric.name}/${goSelector(metric.selector)}`,
					source.external(metric.name, namespace, metric.selector, look.signal),
				);
			const { current, ...found } = await ofOne(read, target, look, {
				...{ kind: 'external', name: nameOf(metric), sharedName: nameOf(metric), byValue: target.averageValue === undefined },
				...{ whole: `failed to get external metric ${metric.name}`, shared: `failed to get ${metric.name} external metric` },
			});
			return { ...found, status: { type: 'External', external: { metric, current } } };
		},
	},
};

const NO_TARGET: MetricTarget = { type: '' };
const NO_METRIC: MetricIdentifier = { name: '' };

export interface Proposals {
	/** The most that any metric asks for. */
	readonly replicas: number;
	/** The name of that one. */
	readonly metric: string;
	/** One for each metric; of a metric that failed it has no type. */
	readonly statuses: readonly MetricStatus[];
	readonly failures: readonly MetricFailure[];
}

/** Told what came of each metric; no replicas where it failed, which is the fault of what asks for it where its type is unknown. */
export type Observe = (metric: MetricSpec, replicas: number | undefined, isUnknown: boolean) => void;

/** What all metrics ask for, one after the other. */
export async function proposalsOf(
	source: MetricSource,
	metrics: readonly MetricSpec[],
	target: Target,
	observe: Observe = () => {},
): Promise<Proposals> {
	const [statuses, failures]: [MetricStatus[], MetricFailure[]] = [[], []];
	let [replicas, name] = [0, ''];
	for (const metric of metrics) {
		const found = await proposalOf(source, metric, target);
		observe(metric, found instanceof MetricFailure ? undefined : found.replicas, TYPES[metric.type] === undefined);
		if (found instanceof MetricFailure) failures.push(found);
		else if (replicas === 0 || found.replicas > replicas) [replicas, name] = [found.replicas, found.name];
		statuses.push(found instanceof MetricFailure ? { type: '' } : found.status);
	}
	return { replicas, metric: name, statuses, failures };
}

async function proposalOf(source: MetricSource, metric: MetricSpec, target: Target): Promise<MetricProposal | MetricFailure> {
	const type = TYPES[metric.type];
	if (type === undefined) {
		const unknown = new AppError('InvalidArgument', `unknown metric source type ${JSON.stringify(metric.type)}`);
		return new MetricFailure('InvalidMetricSourceType', 'failed to compute', unknown);
	}
	try {
		return await type.propose(source, metric, target);
	} catch (error) {
		if (target.signal.aborted) throw error;
		return new MetricFailure(type.reason, type.what(metric), error);
	}
}

type Current = Omit<MetricProposal, 'status'> & { readonly current: MetricValueStatus };

async function ofResource(
	source: MetricSource,
	name: string,
	container: string,
	{ averageValue, averageUtilization }: MetricTarget,
	look: Target,
): Promise<Current> {
	const [by, label, replicas] =
		averageValue !== undefined
			? ['usage', `${name} resource`, (s: Samples): Proposal => replicasByAverage(look, s, name, ceilMilli(averageValue))]
			: [
					'utilization',
					`${name} ${container === '' ? 'resource' : 'container resource'} utilization (percentage of request)`,
					(s: Samples): Proposal => replicasByUtilization(look, s, name, container, averageUtilization ?? 0),
				];
	if (averageValue === undefined && averageUtilization === undefined)
		throw new AppError(
			'InvalidArgument',
			'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
		);
	const found = await told(
		`failed to get ${name} ${by}`,
		told(`unable to get metrics for resource ${name}`, source.resource(name, look.namespace, look.selector, container, look.signal)).then(
			replicas,
		),
	);
	const { utilization } = found;
	// As metrics-server writes them.
	const format = name === 'memory' ? 'BinarySI' : 'DecimalSI';
	const current = { averageValue: milli(found.average, format), ...(utilization === undefined ? {} : { averageUtilization: utilization }) };
	return { replicas: found.replicas, name: label, current };
}

type Samples = Awaited<ReturnType<MetricSource['resource']>>;

interface OneMetric {
	readonly kind: 'object' | 'external';
	/** In reasons: wanted as it is, and shared among pods. */
	readonly name: string;
	readonly sharedName: string;
	readonly byValue: boolean;
	/** What failed, in errors. */
	readonly whole?: string;
	readonly shared: string;
}

/** One value for all pods, wanted as it is or shared among them. */
async function ofOne(
	read: () => Promise<number>,
	{ value, averageValue }: MetricTarget,
	look: Target,
	{ kind, name, sharedName, byValue, whole, shared }: OneMetric,
): Promise<Current> {
	if (byValue && value !== undefined) {
		const proposed = read().then((used) => ({ used, replicas: replicasForWhole(look, used / ceilMilli(value)) }));
		const { used, replicas } = await (whole === undefined ? proposed : asked(whole, proposed));
		return { replicas, name, current: { value: milli(used) } };
	}
	if (averageValue === undefined)
		throw new AppError('InvalidArgument', `invalid ${kind} metric source: neither a value target nor an average value target was set`);
	const used = await asked(shared, read());
	const each = ceilMilli(averageValue);
	const { observed } = look;
	const stays = isWithin(look.tolerances, used / (each * observed));
	const current = { averageValue: milli(Math.ceil(used / observed)) };
	return { replicas: stays ? observed : Math.ceil(used / each), name: sharedName, current };
}

/** From none it goes by the ratio alone. */
function replicasForWhole({ current, tolerances, pods }: Target, ratio: number): number {
	if (current === 0) return Math.ceil(ratio);
	if (isWithin(tolerances, ratio)) return current;
	if (pods.length === 0)
		throw new AppError(
			'FailedPrecondition',
			'unable to calculate ready pods: no pods returned by selector while calculating replica count',
		);
	return Math.ceil(ratio * pods.filter((pod) => pod.status?.phase === 'Running' && isReady(pod)).length);
}

function nameOf({ name, selector }: MetricIdentifier): string {
	return `external metric ${name}(${goSelector(selector)})`;
}

function milli(value: number, format: 'BinarySI' | 'DecimalSI' = 'DecimalSI'): string {
	return Number.isFinite(value) ? formatQuantity({ nano: BigInt(value) * 1_000_000n, format }) : '0';
}

/** The same, with what it was about in front of what went wrong. */
async function told<T>(what: string, work: Promise<T>, between = ': '): Promise<T> {
	try {
		return await work;
	} catch (cause) {
		throw new AppError('Unavailable', `${what}${between}${messageOf(cause)}`, { cause });
	}
}

/** The same, but for condition and event. */
async function asked<T>(what: string, work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (cause) {
		throw new Asked(what, cause);
	}
}
