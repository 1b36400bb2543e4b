/** One extender: what it is asked about pods and nodes, and what its answers mean (kube-scheduler's extender/v1). */
import type { Node, Pod } from '../../../api/gen/types.ts';
import { AppError } from '../../../base/errors.ts';
import type { ExtenderSettings } from '../configuration/extenders.ts';
import { nodeInfo, type NodeInfo } from '../node-info.ts';
import type { PodInfo } from '../pod-info.ts';
import type { Candidate } from '../preemption.ts';
import { shown, type Send } from './http.ts';

export interface Filtered {
	readonly nodes: readonly NodeInfo[];
	/** By node: why not. */
	readonly failed: ReadonlyMap<string, string>;
	/** Those that would not do without other pods either. */
	readonly unresolvable: ReadonlyMap<string, string>;
}

export class Extender {
	readonly settings: ExtenderSettings;
	readonly #send: Send;

	constructor(settings: ExtenderSettings, send: Send) {
		this.settings = settings;
		this.#send = send;
	}

	/** True where the pod asks for a resource that it manages. */
	isInterested({ spec }: Pod): boolean {
		const { managedResources } = this.settings;
		if (managedResources.length === 0) return true;
		return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].some(({ resources }) =>
			[...Object.keys(resources?.requests ?? {}), ...Object.keys(resources?.limits ?? {})].some((name) => managedResources.includes(name)),
		);
	}

	async filter({ pod }: PodInfo, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<Filtered> {
		const { urlPrefix, verbs, nodeCacheCapable } = this.settings;
		if (verbs.filter === '') return { nodes, failed: new Map(), unresolvable: new Map() };
		const answer = await this.#send(verbs.filter, this.#about(pod, nodes), signal);
		const error = read(answer, 'Error');
		if (typeof error === 'string' && error !== '') throw new AppError('FailedPrecondition', error);
		const names = read(answer, 'NodeNames') as readonly string[] | null | undefined;
		const items = read(read(answer, 'Nodes'), 'items') as readonly Node[] | null | undefined;
		const known = new Map(nodes.map((node) => [node.name, node]));
		const named = (name: string): NodeInfo => {
			const node = known.get(name);
			if (node !== undefined) return node;
			const what = `extender ${JSON.stringify(shown(urlPrefix))} claims a filtered node ${JSON.stringify(name)}`;
			throw new AppError('FailedPrecondition', `${what} which is not found in the input node list`);
		};
		return {
			nodes:
				nodeCacheCapable && names
					? names.map(named)
					: (items ?? []).map((node) => known.get(node.metadata.name ?? '') ?? nodeInfo(node, [])),
			failed: texts(read(answer, 'FailedNodes')),
			unresolvable: texts(read(answer, 'FailedAndUnresolvableNodes')),
		};
	}

	/** 0 to 10 a node, by name. */
	async prioritize({ pod }: PodInfo, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
		const { prioritize } = this.settings.verbs;
		if (prioritize === '') return new Map();
		const answer = await this.#send(prioritize, this.#about(pod, nodes), signal);
		return new Map((Array.isArray(answer) ? answer : []).map((one) => [String(read(one, 'Host')), scoreOf(read(one, 'Score'))]));
	}

	/** The candidates that it leaves, with the victims that it wants. */
	async preempt(
		{ pod }: PodInfo,
		candidates: readonly Candidate[],
		nodes: readonly NodeInfo[],
		signal: AbortSignal,
	): Promise<readonly Candidate[]> {
		const { urlPrefix, verbs, nodeCacheCapable } = this.settings;
		const victims = (of: (victim: PodInfo) => object): object =>
			Object.fromEntries(candidates.map((one) => [one.node, { Pods: one.victims.map(of), NumPDBViolations: one.violations }] as const));
		const body = nodeCacheCapable
			? { Pod: pod, NodeNameToVictims: null, NodeNameToMetaVictims: victims(({ uid }) => ({ UID: uid })) }
			: { Pod: pod, NodeNameToVictims: victims((victim) => victim.pod), NodeNameToMetaVictims: null };
		const answer = await this.#send(verbs.preempt, body, signal);
		return Object.entries((read(answer, 'NodeNameToMetaVictims') ?? {}) as object).map(([name, left]) => {
			const node = nodes.find((one) => one.name === name);
			if (node === undefined) throw new AppError('FailedPrecondition', `nodeinfo not found for node name ${JSON.stringify(name)}`);
			const pods = ((read(left, 'Pods') ?? []) as readonly unknown[]).map((one) => {
				const uid = String(read(one, 'UID'));
				const victim = node.pods.find((other) => other.uid === uid);
				if (victim !== undefined) return victim;
				const what = `extender: ${shown(urlPrefix)} claims to preempt pod (UID: ${uid}) on node: ${name}`;
				throw new AppError('FailedPrecondition', `${what}, but the pod is not found on that node`);
			});
			return { node: name, victims: pods, violations: Number(read(left, 'NumPDBViolations') ?? 0) };
		});
	}

	async bind({ pod, uid }: PodInfo, node: string, signal: AbortSignal): Promise<void> {
		const { name = '', namespace = '' } = pod.metadata;
		const body = { PodName: name, PodNamespace: namespace, PodUID: uid, Node: node };
		const error = read(await this.#send(this.settings.verbs.bind, body, signal), 'Error');
		if (typeof error === 'string' && error !== '') throw new AppError('FailedPrecondition', error);
	}

	#about(pod: Pod, nodes: readonly NodeInfo[]): object {
		return this.settings.nodeCacheCapable
			? { Pod: pod, Nodes: null, NodeNames: nodes.map(({ name }) => name) }
			: { Pod: pod, Nodes: { metadata: {}, items: nodes.map(({ node }) => node) }, NodeNames: null };
	}
}

/** What is no number would spoil the sums of all nodes. */
function scoreOf(value: unknown = 0): number {
	if (Number.isSafeInteger(value)) return value as number;
	throw new AppError('FailedPrecondition', `Score: ${JSON.stringify(value)} is no whole number`);
}

/** A field of an answer, however its name is capitalized, as Go reads JSON. */
function read(object: unknown, name: string): unknown {
	if (typeof object !== 'object' || object === null) return undefined;
	const fields = object as Readonly<Record<string, unknown>>;
	if (Object.hasOwn(fields, name)) return fields[name];
	const found = Object.keys(fields).find((key) => key.toLowerCase() === name.toLowerCase());
	return found === undefined ? undefined : fields[found];
}

function texts(value: unknown): ReadonlyMap<string, string> {
	return new Map(Object.entries((value ?? {}) as object).map(([name, text]) => [name, String(text)]));
}
