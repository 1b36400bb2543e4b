/**
 * The ServiceCIDR "kubernetes": what this server was told to give Services, made at the start and looked at for as long as it runs. One that
 * differs is told of and left alone, but a second family is added (upstream's defaultservicecidr controller).
 */
import type { Condition, ServiceCIDR } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { SERVICE_CIDRS } from '../../../api/resources.ts';
import { timeOf } from '../../../api/time.ts';
import type { Clock } from '../../../base/clock.ts';
import { codeOf, messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { Client } from '../../../client/client.ts';
import { createRecorder, referenceTo } from '../../../client/events.ts';
import type { ObjectReader } from '../contracts.ts';

interface Deps {
	/** Acts as the server itself. */
	readonly client: Client;
	readonly reader: Pick<ObjectReader, 'get'>;
	readonly clock: Clock;
	readonly log: Log;
	/** One range of each family: "10.0.0.0/24", "fd00::/112". */
	readonly cidrs: readonly string[];
}

type Range = ServiceCIDR & KubeObject;

/** The object's name. */
export const DEFAULT_RANGE = 'kubernetes';
const COMPONENT = 'kubernetes-service-cidr-controller';
const FAILED = 'KubernetesDefaultServiceCIDRError';
/** Upstream's intervals: until it is there, and from then on. */
const [FIRST_MS, INTERVAL_MS] = [100, 10_000];

export class DefaultServiceCidr {
	readonly #deps: Deps;
	readonly #recorder: ReturnType<typeof createRecorder>;
	/** What has been told, once for each run of the server. */
	readonly #told = new Set<string>();

	constructor(deps: Deps) {
		this.#deps = deps;
		this.#recorder = createRecorder({ ...deps, component: COMPONENT });
	}

	/** Resolves once the range is there. Rejects when the signal aborts. */
	async begin(signal: AbortSignal): Promise<void> {
		const { clock } = this.#deps;
		while (!(await this.#attempt(signal))) await clock.sleep(FIRST_MS, signal);
	}

	/** Until the signal aborts. */
	async run(signal: AbortSignal): Promise<void> {
		const recording = this.#recorder.run(signal, () => {});
		while (!signal.aborted) {
			await this.#deps.clock.sleep(INTERVAL_MS, signal).catch(() => {});
			// It rejects when the signal aborts, which is no failure here, and nobody waits for this yet.
			if (!signal.aborted) await this.#attempt(signal).catch(() => {});
		}
		await recording;
	}

	async #attempt(signal: AbortSignal): Promise<boolean> {
		try {
			await this.#sync(signal);
			return true;
		} catch (error) {
			signal.throwIfAborted();
			this.#deps.log.warn('the default ServiceCIDR was not looked at', { why: messageOf(error) });
			return false;
		}
	}

	async #sync(signal: AbortSignal): Promise<void> {
		const { client, reader, cidrs } = this.#deps;
		const range = reader.get(SERVICE_CIDRS, DEFAULT_RANGE) ?? (await this.#create(signal));
		// Another server was faster: it is looked at the next time.
		if (range === undefined) return;
		const had = range.spec?.cidrs ?? [];
		if (cidrs.length !== 2 || had.length !== 1 || had[0] !== cidrs[0]) return this.#syncStatus(range, signal);
		try {
			await client.update(SERVICE_CIDRS, { ...range, spec: { ...range.spec, cidrs: [...cidrs] } }, { signal });
		} catch (error) {
			signal.throwIfAborted();
			const text = `The default ServiceCIDR can not be upgraded from ${cidrs[0]} to dual stack ${listed(cidrs)} : ${messageOf(error)}`;
			this.#warn(range, FAILED, text);
		}
	}

	async #create(signal: AbortSignal): Promise<Range | undefined> {
		const wanted = { metadata: { name: DEFAULT_RANGE }, spec: { cidrs: [...this.#deps.cidrs] } };
		try {
			return await this.#deps.client.create(SERVICE_CIDRS, wanted, { signal });
		} catch (error) {
			signal.throwIfAborted();
			if (codeOf(error) === 'AlreadyExists') return undefined;
			this.#warn(wanted, FAILED, 'The default ServiceCIDR can not be created');
			throw error;
		}
	}

	async #syncStatus(range: Range, signal: AbortSignal): Promise<void> {
		// How one goes is for the controllers to say.
		if (range.metadata.deletionTimestamp !== undefined) return;
		const { client, clock, cidrs } = this.#deps;
		const had = range.spec?.cidrs ?? [];
		if (had.join() !== cidrs.join()) {
			const text = `The default ServiceCIDR ${listed(had)} does not match the controller flag configurations ${listed(cidrs)}`;
			return this.#once(range, 'KubernetesDefaultServiceCIDRInconsistent', text, 'inconsistent');
		}
		const ready = range.status?.conditions?.find(({ type }) => type === 'Ready');
		if (ready?.status === 'True') return;
		if (ready?.status === 'False') return this.#once(range, ready.reason ?? '', `Configuration matches, but ${ready.message}`, 'not ready');
		const conditions: Partial<Condition>[] = [
			{ type: 'Ready', status: 'True', message: 'Kubernetes default Service CIDR is ready', lastTransitionTime: timeOf(clock.now()) },
		];
		const body = { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name: DEFAULT_RANGE }, status: { conditions } };
		const options = { subresource: 'status', fieldManager: COMPONENT, signal };
		try {
			await client.patch(SERVICE_CIDRS, DEFAULT_RANGE, { type: 'apply', body, force: true }, options);
		} catch (error) {
			signal.throwIfAborted();
			this.#warn(range, FAILED, 'The default ServiceCIDR Status can not be set to Ready=True');
		}
	}

	#once(range: Range, reason: string, message: string, what: string): void {
		if (this.#told.has(what)) return;
		this.#told.add(what);
		this.#warn(range, reason, message);
	}

	#warn(range: Range, reason: string, message: string): void {
		this.#deps.log.warn(message, { range: DEFAULT_RANGE });
		this.#recorder.event(referenceTo(SERVICE_CIDRS, range), 'Warning', reason, message);
	}
}

/** As Go writes a slice. */
const listed = (cidrs: readonly string[]): string => `[${cidrs.join(' ')}]`;
