/**
 * The API server's health checks under upstream's names. What upstream starts once it serves ("post-start hooks") are here the steps of the
 * start: each name holds once its step is done.
 */
import { X509Certificate } from 'node:crypto';
import { withDeadline } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Store } from '../../storage/store.ts';
import type { HealthCheck, Probe } from './health.ts';

/** The steps of the start, and what upstream calls them. */
const HOOKS = {
	wired: [
		'start-apiserver-admission-initializer',
		'generic-apiserver-start-informers',
		'priority-and-fairness-filter',
		'storage-object-count-tracker-hook',
	],
	definitions: ['start-apiextensions-informers', 'start-apiextensions-controllers', 'crd-informer-synced'],
	bootstrapped: [
		'start-system-namespaces-controller',
		'start-cluster-authentication-info-controller',
		'start-legacy-token-tracking-controller',
		'storage-readiness',
		'rbac/bootstrap-roles',
		'scheduling/bootstrap-system-priority-classes',
		'priority-and-fairness-config-producer',
		'bootstrap-controller',
		'start-kubernetes-service-cidr-controller',
	],
	fairness: ['priority-and-fairness-config-consumer'],
	repaired: ['start-service-ip-repair-controllers'],
	aggregation: [
		'start-kube-aggregator-informers',
		'apiservice-status-local-available-controller',
		'apiservice-status-remote-available-controller',
		'apiservice-registration-controller',
		'apiservice-discovery-controller',
		'kube-apiserver-autoregistration',
		'apiservice-openapi-controller',
		'apiservice-openapiv3-controller',
	],
} as const;

export type Step = keyof typeof HOOKS;

/** How long the store may take to answer. */
const STORE_MS = 2_000;
const LIVE: readonly Probe[] = ['healthz', 'livez'];

export class Startup {
	readonly #done = new Set<Step>();
	#isStopping = false;

	done(step: Step): void {
		this.#done.add(step);
	}
	/** From now on it is not ready any more. */
	stopping(): void {
		this.#isStopping = true;
	}
	has(step: Step): boolean {
		return this.#done.has(step);
	}
	get isStopping(): boolean {
		return this.#isStopping;
	}
}

interface Deps {
	readonly startup: Startup;
	readonly store: Store;
	readonly clock: Clock;
	/** PEM of the serving certificate; undefined where nothing is served. */
	readonly certificate: (() => string) | undefined;
}

export function standardChecks({ startup, store, clock, certificate }: Deps): readonly HealthCheck[] {
	const holds = (name: string, isTrue: () => boolean, why: string, probes?: readonly Probe[]): HealthCheck => ({
		name,
		...(probes === undefined ? {} : { probes }),
		check: () => (isTrue() ? Promise.resolve() : Promise.reject(new Error(why))),
	});
	const stored = async (signal: AbortSignal): Promise<void> => {
		using deadline = withDeadline(clock, STORE_MS, 'The store', signal);
		await store.fresh(undefined, deadline.signal);
	};
	const hooks = (Object.keys(HOOKS) as Step[]).flatMap((step) =>
		HOOKS[step].map((name) => holds(`poststarthook/${name}`, () => startup.has(step), 'not finished')),
	);
	return [
		// Lines are written as they come: there is nothing that could be behind.
		holds('log', () => true, ''),
		...(certificate === undefined
			? []
			: [{ name: 'loopback-serving-certificate', probes: LIVE, check: () => valid(certificate(), clock) }]),
		{ name: 'etcd', check: stored },
		{ name: 'etcd-readiness', probes: ['readyz'], check: stored },
		holds('informer-sync', () => startup.has('definitions'), '1 informers not started yet: [*v1.CustomResourceDefinition]', ['readyz']),
		...hooks,
		holds('autoregister-completion', () => startup.has('aggregation'), 'missing APIService'),
		holds('shutdown', () => !startup.isStopping, 'process is shutting down', ['readyz']),
	];
}

function valid(pem: string, clock: Clock): Promise<void> {
	const { validTo } = new X509Certificate(pem);
	return Date.parse(validTo) > clock.now() ? Promise.resolve() : Promise.reject(new Error(`the serving certificate expired at ${validTo}`));
}
