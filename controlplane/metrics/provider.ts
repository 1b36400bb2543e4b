/** Answers of metrics.k8s.io/v1beta1: which nodes or pods are asked about, and what is known of them. */
import type { Node, Pod } from '../../api/gen/types.ts';
import type { KubeObject, Resource } from '../../api/resource.ts';
import { NODES, PODS } from '../../api/resources.ts';
import { methodNotAllowed, notFound, resourceNotFound } from '../../api/status.ts';
import type { Clock } from '../../base/clock.ts';
import { codeOf } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { DOCUMENTS } from './documents.ts';
import { GROUP_VERSION, nodeMetrics, podMetrics, tableOf, type NodeMetrics, type PodMetrics } from './kinds.ts';
import type { NodeLooks } from './looks.ts';

interface Deps {
	readonly client: Client;
	readonly looks: NodeLooks;
	readonly clock: Clock;
}

const [GROUP = ''] = GROUP_VERSION.split('/');
const NO_SELECTORS = new URLSearchParams();
const NODE_PATH = /^\/nodes(?:\/(?<name>[^/]+))?$/;
const POD_PATH = /^(?:\/namespaces\/(?<namespace>[^/]+))?\/pods(?:\/(?<name>[^/]+))?$/;

/** What a path asks about. */
interface Asked {
	readonly namespace?: string | undefined;
	/** Absent: all that the selectors leave. */
	readonly name?: string | undefined;
}

export class MetricsProvider {
	readonly #deps: Deps;

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** The body of an answer to GET. Rejects with a StatusError. */
	async answer(url: URL, asTable: boolean, signal: AbortSignal): Promise<object> {
		const document = DOCUMENTS.get(url.pathname);
		if (document !== undefined) return document;
		const root = `/apis/${GROUP_VERSION}`;
		const path = url.pathname.startsWith(`${root}/`) ? url.pathname.slice(root.length) : '';
		const nodes = NODE_PATH.exec(path)?.groups as Asked | undefined;
		const pods = POD_PATH.exec(path)?.groups as Asked | undefined;
		if (nodes === undefined && (pods === undefined || (pods.name !== undefined && pods.namespace === undefined))) throw resourceNotFound();
		if (['true', '1'].includes(url.searchParams.get('watch') ?? '')) throw methodNotAllowed();
		const asked = nodes ?? pods ?? {};
		const found = nodes === undefined ? await this.#pods(asked, url, signal) : await this.#nodes(asked, url, signal);
		if (asked.name === undefined) {
			const kind = nodes === undefined ? 'PodMetricsList' : 'NodeMetricsList';
			return asTable ? tableOf(found) : { kind, apiVersion: GROUP_VERSION, metadata: {}, items: found };
		}
		const [only] = found;
		if (only === undefined) {
			const plural = nodes === undefined ? 'pods' : 'nodes';
			throw notFound({ group: GROUP, plural }, [asked.namespace, asked.name].filter((part) => part !== undefined).join('/'));
		}
		return asTable ? tableOf([only]) : only;
	}

	async #nodes(asked: Asked, url: URL, signal: AbortSignal): Promise<readonly NodeMetrics[]> {
		const { looks, clock } = this.#deps;
		const nodes = await this.#objects<Node & KubeObject>(NODES, asked, url.searchParams, signal);
		const found = await Promise.all(
			nodes.map(async (node) => {
				const known = await looks.of(node, signal);
				return known === undefined ? undefined : nodeMetrics(node, known, clock.now());
			}),
		);
		return found.filter((one) => one !== undefined);
	}

	async #pods(asked: Asked, url: URL, signal: AbortSignal): Promise<readonly PodMetrics[]> {
		const { looks, clock } = this.#deps;
		const pods = (await this.#objects<Pod & KubeObject>(PODS, asked, url.searchParams, signal)).filter(
			({ status }) => status?.phase === 'Running',
		);
		const nodes = await this.#nodesOf(pods, signal);
		const known = new Map(await Promise.all(nodes.map(async (node) => [node.metadata.name, await looks.of(node, signal)] as const)));
		return pods.flatMap((pod) => {
			const seen = known.get(pod.spec?.nodeName ?? '');
			const metrics = seen === undefined ? undefined : podMetrics(pod, seen, clock.now());
			return metrics === undefined ? [] : [metrics];
		});
	}

	/** Those on which the pods are: one request however many. */
	async #nodesOf(pods: readonly Pod[], signal: AbortSignal): Promise<readonly Node[]> {
		const names = new Set(pods.map(({ spec }) => spec?.nodeName ?? ''));
		const [first] = names;
		if (first === undefined) return [];
		const asked = names.size === 1 ? { name: first } : {};
		const nodes = await this.#objects<Node & KubeObject>(NODES, asked, NO_SELECTORS, signal);
		return nodes.filter(({ metadata }) => names.has(metadata.name ?? ''));
	}

	async #objects<T extends KubeObject>(
		resource: Resource<T>,
		{ namespace, name }: Asked,
		query: URLSearchParams,
		signal: AbortSignal,
	): Promise<readonly T[]> {
		const { client } = this.#deps;
		if (name !== undefined) {
			const object = await client.get(resource, namespace === undefined ? name : `${namespace}/${name}`, { signal }).catch(unlessGone);
			return object === undefined ? [] : [object];
		}
		const selectors = ['labelSelector', 'fieldSelector'].flatMap((selector) => {
			const value = query.get(selector);
			return value === null || value === '' ? [] : [[selector, value] as const];
		});
		const options = { signal, ...(namespace === undefined ? {} : { namespace }), ...Object.fromEntries(selectors) };
		// What the API server holds in memory is new enough.
		return (await client.list(resource, { ...options, resourceVersion: '0' })).items;
	}
}

function unlessGone(error: unknown): undefined {
	if (codeOf(error) !== 'NotFound') throw error;
}
