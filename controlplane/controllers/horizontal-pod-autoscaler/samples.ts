/** What the metrics APIs measured: of pods (metrics.k8s.io), of objects (custom.metrics.k8s.io), of what is outside the cluster (external.metrics.k8s.io). */
import type { CrossVersionObjectReference, LabelSelector } from '../../../api/gen/types.ts';
import { ceilMilli } from '../../../api/quantity.ts';
import { formatLabelSelector } from '../../../api/selector/label-text.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import { readText } from '../../../base/lines.ts';
import type { Client } from '../../../client/client.ts';
import { CustomApi } from './custom-api.ts';

/** Of one pod. */
export interface Sample {
	/** Thousandths. */
	readonly value: number;
	/** ms since the epoch, the end of what it was measured over. */
	readonly at: number;
	readonly windowMs: number;
}
/** By pod name. */
export type Samples = ReadonlyMap<string, Sample>;

interface PodMetrics {
	readonly metadata: { readonly name?: string; readonly namespace?: string };
	readonly timestamp?: string;
	readonly window?: string;
	readonly containers?: readonly { readonly name: string; readonly usage?: Readonly<Record<string, string>> }[];
}
interface MetricValue {
	readonly describedObject?: { readonly name?: string };
	readonly timestamp?: string;
	readonly windowSeconds?: number | null;
	/** The same in v1beta1. */
	readonly window?: number | null;
	readonly value: string;
}
interface Items<T> {
	readonly items?: readonly T[];
}

const EXTERNAL = '/apis/external.metrics.k8s.io/v1beta1';
/** Where a metric does not say over how long it was taken. */
const WINDOW_MS = 60_000;

export class MetricSource {
	readonly #client: Client;
	readonly #custom: CustomApi;

	constructor(client: Client, clock: Clock) {
		this.#client = client;
		this.#custom = new CustomApi(client, clock, (path, signal) => this.#read(path, signal));
	}

	/** A resource's use by the pods, or by one container of each. */
	async resource(name: string, namespace: string, selector: string, container: string, signal: AbortSignal): Promise<Samples> {
		const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`;
		const items = await this.#items<PodMetrics>('resource', path, { labelSelector: selector }, signal);
		return container === '' ? ofPods(items, name) : ofContainers(items, name, container);
	}

	/** A metric that pods have. */
	async pods(
		metric: string,
		namespace: string,
		selector: string,
		wanted: LabelSelector | undefined,
		signal: AbortSignal,
	): Promise<Samples> {
		const path = (): Promise<string> => this.#custom.pods(metric, namespace, signal);
		const query = { labelSelector: selector, metricLabelSelector: formatLabelSelector(wanted) };
		const items = await this.#items<MetricValue>('custom', path, query, signal);
		return new Map(
			items.map(({ describedObject, timestamp = '', window, windowSeconds = window, value }) => [
				describedObject?.name ?? '',
				{ value: ceilMilli(value), at: Date.parse(timestamp), windowMs: (windowSeconds ?? WINDOW_MS / 1000) * 1000 },
			]),
		);
	}

	/** A metric of one object, in thousandths. */
	async object(
		metric: string,
		namespace: string,
		about: CrossVersionObjectReference,
		wanted: LabelSelector | undefined,
		signal: AbortSignal,
	): Promise<number> {
		const query = { metricLabelSelector: formatLabelSelector(wanted) };
		const path = (): Promise<string> => this.#custom.object(metric, namespace, about, signal);
		const [first] = await this.#fetch<MetricValue>('custom', path, query, signal, (items) => {
			if (items.length === 1) return;
			const count = `returned ${items.length} results when we asked for exactly one`;
			throw new AppError('FailedPrecondition', `the custom metrics API server ${count}`);
		});
		return ceilMilli(first?.value);
	}

	/** The sum of all series, in thousandths. */
	async external(metric: string, namespace: string, wanted: LabelSelector | undefined, signal: AbortSignal): Promise<number> {
		const path = `${EXTERNAL}/namespaces/${namespace}/${metric}`;
		const items = await this.#items<MetricValue>('external', path, { labelSelector: formatLabelSelector(wanted) }, signal);
		return items.reduce((sum, { value }) => sum + ceilMilli(value), 0);
	}

	/** At least one. AppError Unavailable in upstream's words. */
	async #items<T>(
		api: string,
		path: string | (() => Promise<string>),
		query: Readonly<Record<string, string>>,
		signal: AbortSignal,
	): Promise<readonly T[]> {
		const items = await this.#fetch<T>(api, path, query, signal);
		if (items.length === 0) throw new AppError('Unavailable', `no metrics returned from ${api} metrics API`);
		return items;
	}

	/** @param check throws where there are not as many as there should be */
	async #fetch<T>(
		api: string,
		path: string | (() => Promise<string>),
		query: Readonly<Record<string, string>>,
		signal: AbortSignal,
		check: (items: readonly T[]) => void = () => {},
	): Promise<readonly T[]> {
		const asked = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
		try {
			const whole = typeof path === 'string' ? path : await path();
			const { items = [] } = await this.#read<Items<T>>(asked === '' ? whole : `${whole}?${asked}`, signal);
			check(items);
			return items;
		} catch (cause) {
			throw new AppError('Unavailable', `unable to fetch metrics from ${api} metrics API: ${messageOf(cause)}`, { cause });
		}
	}

	async #read<T>(path: string, signal: AbortSignal): Promise<T> {
		const answer = await this.#client.transport.request({ method: 'GET', path, headers: { accept: 'application/json' } }, signal);
		const text = await readText(answer.body);
		if (answer.status === 200) return JSON.parse(text) as T;
		throw new AppError('Unavailable', refusalOf(text) ?? `the server answers ${answer.status}`);
	}
}

/** As client-go says it: what a server knows nothing of has no message worth telling. */
function refusalOf(text: string): string | undefined {
	try {
		const { message } = JSON.parse(text) as { message?: string };
		return message;
	} catch {
		return text.startsWith('404 page not found') ? 'the server could not find the requested resource' : undefined;
	}
}

/** Pods of which a container says nothing of the resource are left out. */
function ofPods(items: readonly PodMetrics[], resource: string): Samples {
	const samples = new Map<string, Sample>();
	for (const { metadata, containers = [], ...when } of items) {
		const used = containers.map(({ usage }) => usage?.[resource]);
		if (used.length === 0 || used.includes(undefined)) continue;
		samples.set(
			metadata.name ?? '',
			sampleOf(
				when,
				used.map(ceilMilli).reduce((a, b) => a + b, 0),
			),
		);
	}
	return samples;
}

/** So are those of which the container says nothing. */
function ofContainers(items: readonly PodMetrics[], resource: string, container: string): Samples {
	const samples = new Map<string, Sample>();
	for (const { metadata, containers = [], ...when } of items) {
		const used = containers.find(({ name }) => name === container)?.usage?.[resource];
		if (used !== undefined) samples.set(metadata.name ?? '', sampleOf(when, ceilMilli(used)));
	}
	return samples;
}

function sampleOf({ timestamp = '', window = '' }: Pick<PodMetrics, 'timestamp' | 'window'>, value: number): Sample {
	return { value, at: Date.parse(timestamp), windowMs: durationMs(window) };
}

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 1e-3, µs: 1e-3, ns: 1e-6 };

/** Go's durations: "1m30.5s". */
function durationMs(text: string): number {
	return [...text.matchAll(/([\d.]+)(h|ms|m|s|us|µs|ns)/g)].reduce((sum, [, n, unit = '']) => sum + Number(n) * (UNIT_MS[unit] ?? 0), 0);
}
