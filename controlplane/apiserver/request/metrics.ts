/** Counts and times of requests, under upstream's names and labels. */
import { Counter, Gauge, SeriesCounter, SeriesHistogram, type Count, type Registry, type Series } from '../../../base/metrics.ts';
import { dryRunCauses } from './options.ts';
import type { RequestInfo, ResourceInfo } from './request-info.ts';

const NAMES = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
type Label = (typeof NAMES)[number];
type Labels = Readonly<Record<Label, string>>;

const SECONDS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const SLI_SECONDS = SECONDS.slice(2);
const BYTES = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const BODY_BYTES = Array.from({ length: 31 }, (_, i) => 50_000 + i * 100_000);

/** The series of requests of one kind. */
interface Kept {
	readonly labels: Labels;
	/** Those that were for real. */
	readonly real: Counted;
	/** Those that were not, by how they said so. */
	readonly dry: Map<DryRun, Counted>;
	readonly terminated: Map<number, Count>;
	readonly sliSeconds: Series | undefined;
	readonly bytes: Series | undefined;
	readonly aborted: Count;
	/** Asked for by the server itself. */
	readonly own: Count;
	/** Of the bodies of writes. */
	readonly sent: Series | undefined;
	long: number;
}

interface Counted {
	readonly codes: Map<number, Count>;
	readonly seconds: Series;
}

/** `dryRun` of the query; '': the request is for real. */
type DryRun = '' | 'All' | 'invalid';

export function dryRunLabel(query: URLSearchParams): DryRun {
	const said = query.getAll('dryRun');
	if (said.length === 0) return '';
	return dryRunCauses(said).length === 0 ? 'All' : 'invalid';
}

/** What is known of a request once it is over. */
export interface Outcome {
	readonly code: number;
	readonly seconds: number;
	/** Of which it waited for its turn and for webhooks. */
	readonly waitedSeconds: number;
	/** Undefined where it was streamed and nobody counted. */
	readonly bytes: number | undefined;
	readonly dryRun: DryRun;
	/** The server itself asked. */
	readonly isOwn: boolean;
	/** Of the request's body, where that was read. */
	readonly sentBytes: number | undefined;
	/** The server gave it up: too many requests, or too long. */
	readonly terminated: boolean;
}

export class RequestMetrics {
	/** Connections that did not get as far as a request. */
	readonly handshakeErrors: Counter;
	readonly #requests: SeriesCounter;
	readonly #terminated: SeriesCounter;
	readonly #aborted: SeriesCounter;
	readonly #seconds: SeriesHistogram;
	readonly #sliSeconds: SeriesHistogram;
	readonly #bytes: SeriesHistogram;
	readonly #own: SeriesCounter;
	readonly #sent: SeriesHistogram;
	/** By group, resource and verb. */
	readonly #sentOf = new Map<string, Series>();
	/** Answers that came too late for anybody, and those whose work had been given up by then. */
	readonly #late: Count;
	readonly #givenUp: Count;
	readonly #kept = new Map<string, Kept>();
	/** The same paths are asked for over and over, with the same object. */
	readonly #known = new WeakMap<RequestInfo, Kept>();
	readonly #isServed: (info: ResourceInfo) => boolean;

	/** @param isServed whether a resource, and its subresource, are ones of this server: others could be anything, and are not counted */
	constructor(registry: Registry, isServed: (info: ResourceInfo) => boolean) {
		this.#isServed = isServed;
		const registers = [registry];
		const kept = this.#kept;
		this.handshakeErrors = new Counter({
			...{ name: 'apiserver_tls_handshake_errors_total', registers },
			help: "Number of requests dropped with 'TLS handshake error from' error",
		});
		const counter = (name: string, help: string): SeriesCounter => new SeriesCounter({ name, help, registers });
		this.#requests = counter(
			'apiserver_request_total',
			'Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
		);
		this.#terminated = counter('apiserver_request_terminations_total', 'Number of requests which apiserver terminated in self-defense.');
		this.#aborted = counter(
			'apiserver_request_aborts_total',
			'Number of requests which apiserver aborted possibly due to a timeout, for each group, version, verb, resource, subresource and scope',
		);
		this.#own = counter(
			'apiserver_selfrequest_total',
			'Counter of apiserver self-requests broken out for each verb, API resource and subresource.',
		);
		const postTimeout = counter(
			'apiserver_request_post_timeout_total',
			'Tracks the activity of the request handlers after the associated requests have been timed out by the apiserver',
		);
		longRunning(registers, kept);
		const histogram = (name: string, help: string, buckets: readonly number[]): SeriesHistogram =>
			new SeriesHistogram({ name, help, buckets, registers });
		this.#seconds = histogram(
			'apiserver_request_duration_seconds',
			'Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.',
			SECONDS,
		);
		this.#sliSeconds = histogram(
			'apiserver_request_sli_duration_seconds',
			'Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in seconds for each verb, group, version, resource, subresource, scope and component.',
			SLI_SECONDS,
		);
		this.#bytes = histogram(
			'apiserver_response_sizes',
			'Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.',
			BYTES,
		);
		this.#sent = histogram(
			'apiserver_request_body_size_bytes',
			'Apiserver request body size in bytes broken out by resource and verb.',
			BODY_BYTES,
		);
		this.#late = postTimeout.series({ source: 'timeout-handler', status: 'ok' });
		this.#givenUp = postTimeout.series({ source: 'rest-handler', status: 'error' });
	}

	/** @param isApply a server-side apply, which has a verb of its own here */
	observe(info: RequestInfo, outcome: Outcome, isApply: boolean): void {
		const { code, seconds, waitedSeconds, bytes, dryRun, terminated, isOwn, sentBytes } = outcome;
		const kept = this.#find(info, isApply);
		if (kept === undefined) return;
		const counted = dryRun === '' ? kept.real : this.#dry(kept, dryRun);
		countOf(counted.codes, code, this.#requests, kept.labels, dryRun).value++;
		if (terminated) countOf(kept.terminated, code, this.#terminated, { ...kept.labels, component: 'apiserver' }).value++; // as the server's in any case
		counted.seconds.observe(seconds);
		if (dryRun === '') kept.sliSeconds?.observe(seconds - waitedSeconds);
		if (bytes !== undefined) kept.bytes?.observe(bytes);
		if (isOwn) kept.own.value++;
		if (sentBytes !== undefined) kept.sent?.observe(sentBytes);
	}

	/** @param givenUp its work failed for want of time */
	late(givenUp: boolean): void {
		this.#late.value++;
		if (givenUp) this.#givenUp.value++;
	}

	/** One that the request itself still had time for. */
	lateWrite(): void {
		this.#givenUp.value++;
	}

	/** The client went away before its answer. */
	aborted(info: RequestInfo): void {
		const kept = this.#find(info, false);
		if (kept !== undefined) kept.aborted.value++;
	}

	/** A watch or stream begins (+1) or ends (-1). */
	long(info: RequestInfo, delta: 1 | -1): void {
		const kept = this.#find(info, false);
		if (kept !== undefined) kept.long += delta;
	}

	#find(info: RequestInfo, isApply: boolean): Kept | undefined {
		let kept = isApply ? undefined : this.#known.get(info);
		if (kept !== undefined) return kept;
		const labels = info.type === 'path' ? pathLabels(info.verb, info.path) : this.#isServed(info) ? labelsOf(info, isApply) : undefined;
		if (labels === undefined) return undefined;
		const key = Object.values(labels).join('/');
		kept = this.#kept.get(key);
		if (kept === undefined) this.#kept.set(key, (kept = this.#make(labels)));
		if (!isApply) this.#known.set(info, kept);
		return kept;
	}

	#dry({ labels, dry }: Kept, dryRun: DryRun): Counted {
		let counted = dry.get(dryRun);
		if (counted === undefined) dry.set(dryRun, (counted = this.#counted(labels, dryRun)));
		return counted;
	}

	#counted(labels: Labels, dryRun: DryRun): Counted {
		return { codes: new Map(), seconds: this.#seconds.series({ ...labels, dry_run: dryRun }) };
	}

	#make(labels: Labels): Kept {
		const isRead = labels.verb === 'GET' || labels.verb === 'LIST';
		const { component: _, ...unnamed } = labels;
		const { verb, group, resource, subresource } = labels;
		return {
			labels,
			real: this.#counted(labels, ''),
			dry: new Map(),
			terminated: new Map(),
			// Of a watch it would say nothing but how long it was wanted.
			sliSeconds: labels.verb === 'WATCH' ? undefined : this.#sliSeconds.series(labels),
			bytes: isRead ? this.#bytes.series(labels) : undefined,
			aborted: this.#aborted.series(unnamed),
			own: this.#own.series({ verb, group, resource, subresource }),
			sent: this.#sentBy(labels),
			long: 0,
		};
	}

	#sentBy({ verb: shown, group, resource, scope }: Labels): Series | undefined {
		const verb = shown === 'DELETE' && scope !== 'resource' ? 'delete_collection' : WRITES[shown];
		if (verb === undefined || resource === '') return undefined;
		const key = `${group}/${resource}/${verb}`;
		let series = this.#sentOf.get(key);
		if (series === undefined) this.#sentOf.set(key, (series = this.#sent.series({ group, resource, verb })));
		return series;
	}
}

/** The series of a code, made when it comes first. */
function countOf(codes: Map<number, Count>, code: number, counter: SeriesCounter, labels: Labels, dryRun?: string): Count {
	let count = codes.get(code);
	if (count === undefined) {
		const more = dryRun === undefined ? {} : { dry_run: dryRun };
		codes.set(code, (count = counter.series({ ...labels, ...more, code: String(code) })));
	}
	return count;
}

function longRunning(registers: Registry[], kept: ReadonlyMap<string, Kept>): void {
	new Gauge<Label>({
		...{ name: 'apiserver_longrunning_requests', labelNames: NAMES, registers },
		help: 'Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.',
		collect() {
			for (const { labels, long } of kept.values()) if (long > 0 || labels.verb === 'WATCH') this.set(labels, long);
		},
	});
}

/** Other paths could be anything, and of the documents upstream does not count those of version 2: they are not counted. */
const PATHS: Readonly<Record<string, Pick<Labels, 'subresource' | 'component'>>> = {
	'/healthz': { subresource: '/healthz', component: '' },
	'/livez': { subresource: '/livez', component: '' },
	'/readyz': { subresource: '/readyz', component: '' },
	'/api': { subresource: 'api', component: 'apiserver' },
	'/apis': { subresource: 'apis', component: 'apiserver' },
	'/openapi/v3': { subresource: 'openapi/v3', component: '' },
};
const DOCUMENTS = 'openapi/v3/';

/** As the sizes of bodies name them. */
const WRITES: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', APPLY: 'patch', DELETE: 'delete' };
/** By its method: to these counts a collection that is deleted is a DELETE of the scope of its namespace, or of the cluster. */
const VERBS: Readonly<Record<string, string>> = { head: 'GET', create: 'POST', update: 'PUT', deletecollection: 'DELETE' };
const CONNECTS = new Set(['exec', 'attach', 'portforward', 'proxy', 'log']);
/** Those that upstream counts by their names: what else a client makes up is one. */
const SHOWN = new Set(['GET', 'LIST', 'WATCH', 'POST', 'PUT', 'PATCH', 'DELETE', 'CONNECT', 'PROXY']);

function shownVerb(verb: string): string {
	const shown = VERBS[verb] ?? verb.toUpperCase();
	return SHOWN.has(shown) ? shown : 'other';
}

function pathLabels(verb: string, path: string): Labels | undefined {
	const known = path.startsWith(`/${DOCUMENTS}`) ? { subresource: DOCUMENTS, component: '' } : PATHS[path];
	if (known === undefined) return undefined;
	const { subresource, component } = known;
	return { verb: shownVerb(verb), group: '', version: '', resource: '', subresource, scope: '', component };
}

function labelsOf({ verb, group, version, resource, subresource, name, namespace }: ResourceInfo, isApply: boolean): Labels {
	const scope = name !== '' || verb === 'create' ? 'resource' : namespace === '' ? 'cluster' : 'namespace';
	const shown = CONNECTS.has(subresource) ? 'CONNECT' : isApply ? 'APPLY' : shownVerb(verb);
	return { verb: shown, group, version, resource, subresource, scope, component: 'apiserver' };
}
