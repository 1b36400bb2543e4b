/**
 * The API server's health checks under upstream's names. What upstream starts once it serves ("post-start hooks") are here the steps of the
 * start: each name holds once its step is done.
 */
import { X509Certificate } from 'node:crypto';
import { withDeadline } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Store } from '../../storage/store.ts';
import type { HealthCheck, Probe } from './health.ts';

/** What upstream starts, in its order, and the step that does it here. */
const HOOKS = [
	['start-apiserver-admission-initializer', 'wired'],
	['generic-apiserver-start-informers', 'wired'],
	['priority-and-fairness-config-consumer', 'fairness'],
	['priority-and-fairness-filter', 'wired'],
	['storage-object-count-tracker-hook', 'wired'],
	['start-apiextensions-informers', 'definitions'],
	['start-apiextensions-controllers', 'definitions'],
	['crd-informer-synced', 'definitions'],
	['start-system-namespaces-controller', 'bootstrapped'],
	['peer-endpoint-reconciler-controller', 'bootstrapped'],
	['start-cluster-authentication-info-controller', 'bootstrapped'],
	['start-kube-apiserver-identity-lease-controller', 'bootstrapped'],
	['start-kube-apiserver-identity-lease-garbage-collector', 'bootstrapped'],
	['storage-readiness', 'bootstrapped'],
	['start-legacy-token-tracking-controller', 'bootstrapped'],
	['start-service-ip-repair-controllers', 'repaired'],
	['rbac/bootstrap-roles', 'bootstrapped'],
	['scheduling/bootstrap-system-priority-classes', 'bootstrapped'],
	['priority-and-fairness-config-producer', 'bootstrapped'],
	['bootstrap-controller', 'bootstrapped'],
	['start-kubernetes-service-cidr-controller', 'bootstrapped'],
	['start-kube-aggregator-informers', 'aggregation'],
	['apiservice-status-local-available-controller', 'aggregation'],
	['apiservice-status-remote-available-controller', 'aggregation'],
	['apiservice-registration-controller', 'aggregation'],
	['apiservice-discovery-controller', 'aggregation'],
	['kube-apiserver-autoregistration', 'aggregation'],
	['apiservice-openapi-controller', 'aggregation'],
	['apiservice-openapiv3-controller', 'aggregation'],
] as const;
/** The first hook after the check that all APIServices are there. */
const BEFORE_OPENAPI = 'apiservice-openapi-controller';

/** Hooks of fairness, which a server without it does not have, or has another one for. */
const CONSUMER = 'priority-and-fairness-config-consumer';
const FILTER = 'priority-and-fairness-filter';

export type Step = (typeof HOOKS)[number][1];

/** How long the store may take to answer. */
const STORE_MS = { health: 2_000, readiness: 2_000 };

export type StoreCheckMs = typeof STORE_MS;
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
	/** Keys of encryption are read again when they change. */
	readonly followsKeys: boolean;
	/** Names of APIServices of this server's own groups that are not there yet. */
	readonly unregistered: () => readonly string[];
	/** Requests are given their turns by fairness; false: they are only counted. */
	readonly isFair: boolean;
	/** How long the store may take; two seconds unless told (upstream's --etcd-healthcheck-timeout and --etcd-readycheck-timeout). */
	readonly storeCheckMs?: StoreCheckMs | undefined;
}

export function standardChecks({
	startup,
	store,
	clock,
	certificate,
	followsKeys,
	isFair,
	unregistered,
	storeCheckMs = STORE_MS,
}: Deps): readonly HealthCheck[] {
	const holds = (name: string, isTrue: () => boolean, why: string | (() => string), probes?: readonly Probe[]): HealthCheck => ({
		name,
		...(probes === undefined ? {} : { probes }),
		check: () => (isTrue() ? Promise.resolve() : Promise.reject(new Error(typeof why === 'string' ? why : why()))),
	});
	const stored =
		(ms: number) =>
		async (signal: AbortSignal): Promise<void> => {
			using deadline = withDeadline(clock, ms, 'The store', signal);
			await store.fresh(undefined, deadline.signal);
		};
	const registered = holds(
		'autoregister-completion',
		() => unregistered().length === 0,
		() => `missing APIService: [${unregistered().join(' ')}]`,
	);
	const following = followsKeys
		? [holds('poststarthook/start-encryption-provider-config-automatic-reload', () => startup.has('wired'), 'not finished')]
		: [];
	const hooks = HOOKS.flatMap(([name, step]) => {
		if (name === CONSUMER && !isFair) return [];
		const shown = name === FILTER && !isFair ? 'max-in-flight-filter' : name;
		return [...(name === BEFORE_OPENAPI ? [registered] : []), holds(`poststarthook/${shown}`, () => startup.has(step), 'not finished')];
	});
	return [
		// Lines are written as they come: there is nothing that could be behind.
		holds('log', () => true, ''),
		...(certificate === undefined
			? []
			: [{ name: 'loopback-serving-certificate', probes: LIVE, check: () => valid(certificate(), clock) }]),
		{ name: 'etcd', check: stored(storeCheckMs.health) },
		// Of plugins that hold keys there are none.
		...(followsKeys ? [holds('kms-providers', () => true, '', ['healthz', 'readyz'])] : []),
		{ name: 'etcd-readiness', probes: ['readyz'], check: stored(storeCheckMs.readiness) },
		holds('informer-sync', () => startup.has('definitions'), '1 informers not started yet: [*v1.CustomResourceDefinition]', ['readyz']),
		...following,
		...hooks,
		holds('shutdown', () => !startup.isStopping, 'process is shutting down', ['readyz']),
	];
}

function valid(pem: string, clock: Clock): Promise<void> {
	const { validTo } = new X509Certificate(pem);
	return Date.parse(validTo) > clock.now() ? Promise.resolve() : Promise.reject(new Error(`the serving certificate expired at ${validTo}`));
}
